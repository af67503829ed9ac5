import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STATUSES, UnavailableError } from '@isopod/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cli, fakeClient, resultOf } from './support.ts'

/** Creates a folder with files, which is removed when the test ends; returns the path of a file in it. */
function files(content: Record<string, string | Buffer>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'isopod-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(content)) writeFileSync(join(folder, name), text)
  return (name) => join(folder, name)
}

describe('isopod run', () => {
  it('makes one job from a file and options', async () => {
    const at = files({ 'a.py': 'print(1)', 'in.txt': 'Alice', 'data.json': '{"n": [1, 2]}' })
    const options = [
      '--stdin',
      at('in.txt'),
      '--input-data',
      at('data.json'),
      '--timeout',
      '2.5',
      '--job-timeout',
      '20',
      '--memory',
      '64',
    ]
    const { calls, exitCode } = await cli([
      'run',
      at('a.py'),
      ...options,
      '--cpus',
      '.5',
      '--network',
      'pypi',
    ])
    expect(exitCode).toBe(0)
    expect(calls).toContainEqual({
      method: 'run',
      value: {
        language: 'python',
        code: 'print(1)',
        stdin: 'Alice',
        inputData: { n: [1, 2] },
        limits: { timeoutSeconds: 2.5, jobSeconds: 20, memoryMb: 64, cpus: 0.5 },
        network: 'pypi',
        replyTo: 'none',
      },
    })
    expect(calls.at(-1)).toEqual({ method: 'close', value: undefined })
  })

  it('passes every --arg and --env of the command line on unchanged', async () => {
    const options = ['--arg', '-v', '--arg', '', '--env', 'A=1=2', '--env', 'B=', '--compile-arg', '-DX=1']
    const { calls } = await cli(['run', '-', ...options], { stdin: 'x' })
    expect(calls.find(({ method }) => method === 'run')?.value).toMatchObject({
      args: ['-v', ''],
      env: { A: '1=2', B: '' },
      compileArgs: ['-DX=1'],
    })
  })

  it.each([
    ['enforce:strict', { mode: 'enforce', rules: 'strict' }],
    ['off', { mode: 'off', rules: 'standard' }],
  ])('makes a policy of --policy %s', async (text, policy) => {
    const { calls } = await cli(['run', '-', '--policy', text], { stdin: 'x' })
    expect(calls[0]?.value).toMatchObject({ policy })
  })

  it('puts a program into a batch that shares containers', async () => {
    const options = ['--batch', 'b1', '--tenant', 'team', '--reuse', 'batch']
    const { calls } = await cli(['run', '-', ...options], { stdin: 'x' })
    expect(calls[0]?.value).toMatchObject({ batchId: 'b1', tenant: 'team', reuse: 'batch' })
  })

  it.each([
    [['--reuse', 'batch'], '--reuse (reuse): "batch" needs a batchId'],
    [['--batch', 'b1', '--reuse', 'always'], '--reuse (reuse): must be'],
  ])('refuses %j, and enqueues nothing', async (options, sentence) => {
    const { calls, exitCode, stderr } = await cli(['run', '-', ...options], { stdin: 'x' })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(sentence)
    expect(calls).toEqual([])
  })

  it('refuses an unknown policy and enqueues nothing', async () => {
    const { calls, exitCode, stderr } = await cli(['run', '-', '--policy', 'paranoid'], { stdin: 'x' })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--policy: must be off, warn, enforce, alone or with :standard or :strict')
    expect(calls).toEqual([])
  })

  it('shows why the policy refused a program', async () => {
    const client = fakeClient(() =>
      resultOf({
        status: 'validation_error',
        exitCode: null,
        stdout: '',
        wallMs: null,
        memoryPeakBytes: null,
        errorMessage: 'Blocked import: os; Blocked function: eval',
        validationErrors: ['Blocked import: os', 'Blocked function: eval'],
        warnings: ['policy: main.py:1: Risky import: socket'],
      }),
    )
    const { stderr } = await cli(['run', '-'], { stdin: 'x', client })
    expect(stderr).toBe(
      'warning: policy: main.py:1: Risky import: socket\nvalidation_error · Blocked import: os; Blocked function: eval\n',
    )
  })

  it('reads the code from standard input for -, and lets the protocol choose the default language', async () => {
    const { calls } = await cli(['run', '-'], { stdin: 'print(2)' })
    expect(calls[0]?.value).toEqual({ code: 'print(2)', limits: {}, replyTo: 'none' })
  })

  it.each([
    ['a.py', 'python'],
    ['a.JS', 'javascript'],
    ['a.mts', 'typescript'],
    ['a.sh', 'bash'],
    ['a.c', 'c'],
  ])('takes %s for %s', async (name, language) => {
    const at = files({ [name]: 'x' })
    expect((await cli(['run', at(name)])).calls[0]?.value).toMatchObject({ language })
  })

  it.each(STATUSES)('ends with the documented exit code for %s', async (status) => {
    const client = fakeClient(() => resultOf({ status }))
    const { exitCode } = await cli(['run', '-'], { stdin: 'x', client })
    const wanted = { success: 0, validation_error: 2, setup_error: 3 }[status as string] ?? 1
    expect(exitCode).toBe(wanted)
  })

  it('prints only one JSON object on stdout with --json', async () => {
    const { stdout } = await cli(['run', '-', '--json'], { stdin: 'x' })
    expect(stdout.split('\n')).toHaveLength(2)
    expect(JSON.parse(stdout)).toEqual(resultOf())
  })

  it.each([
    ['no file', [], "missing required argument 'file'"],
    ['an option that is not known', ['-', '--tiemout', '3'], "unknown option '--tiemout'"],
    ['too many files', ['a.py', 'b.py'], 'too many arguments'],
    ['a missing file', ['nowhere.py'], 'FILE: cannot read "nowhere.py" (no such file)'],
    ['a folder', ['/tmp', '--language', 'c'], 'FILE: cannot read "/tmp" (is a folder)'],
    ['an extension that says nothing', ['a.xyz'], '--language: cannot be guessed from "a.xyz"'],
    ['an extension like __proto__', ['a.__proto__'], '--language: cannot be guessed'],
    ['stdin for two things', ['-', '--stdin', '-'], '"-": standard input can be read for one thing only'],
    ['a limit that is not a number', ['-', '--timeout', '5s'], '--timeout: must be a number, got "5s"'],
    ['NaN', ['-', '--memory', 'NaN'], '--memory: must be a number, got "NaN"'],
    ['an empty limit', ['-', '--cpus', ''], '--cpus: must be a number, got ""'],
    [
      'a limit of 0',
      ['-', '--timeout', '0'],
      '--timeout (limits.timeoutSeconds): must be a number from 0.1 to 300, got 0',
    ],
    ['a limit of -1', ['-', '--memory', '-1'], '--memory (limits.memoryMb): must be a whole number'],
    ['a limit beyond all', ['-', '--cpus', '1e308'], '--cpus (limits.cpus): must be a number from'],
    ['a variable without a value', ['-', '--env', 'A'], '--env: must be NAME=VALUE, got "A"'],
    ['a variable of the loader', ['-', '--env', 'LD_PRELOAD=x'], '--env (env.LD_PRELOAD): must not be set'],
    [
      'an argument that is too long',
      ['-', '--arg', 'x'.repeat(5000)],
      '--arg (args.0): must be text of at most',
    ],
    ['broken JSON', ['-', '--input-data', '{"a": }'], '--input-data: must be JSON or a file with JSON'],
    [
      'an unknown isolation',
      ['-', '--isolation', 'vm'],
      '--isolation (isolation): must be one of process, container, gvisor, got "vm"',
    ],
    [
      'an isolation and another runtime',
      ['-', '--isolation', 'process', '--runtime', 'runsc'],
      '--isolation (isolation): must be "gvisor" with runtime "runsc", got "process"',
    ],
    ['a strange language', ['-', '--language', 'a b'], '--language (language): must be a name or alias'],
  ])('refuses %s with exit code 2 and one sentence, and sends nothing', async (_, args, sentence) => {
    const { exitCode, stdout, stderr, calls } = await cli(['run', ...args], { stdin: 'x' })
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(`isopod: ${sentence}`)
    expect(calls).toEqual([])
  })

  it('refuses code that is empty, above 1 MiB or not text', async () => {
    const at = files({ 'a.py': Buffer.from([0xff, 0xfe]) })
    expect((await cli(['run', '-'], { stdin: '' })).stderr).toBe(
      'isopod: Code cannot be empty, and standard input is\n',
    )
    const large = await cli(['run', '-'], { stdin: 'x'.repeat(2 ** 20 + 1) })
    expect(large.stderr).toBe('isopod: FILE: must be at most 1 MiB, and standard input is larger\n')
    expect((await cli(['run', at('a.py')])).stderr).toContain('FILE: must be UTF-8 text')
  })

  it('stops reading an endless file', async () => {
    expect((await cli(['run', '/dev/zero', '--language', 'c'])).stderr).toContain('must be at most 1 MiB')
  })

  it('ends with exit code 3 and one sentence if Redis is not there', async () => {
    const services = {
      connect: () => Promise.reject(new UnavailableError('Redis at redis://x is not available')),
      findStack: async () => undefined,
      findPrivateServices: async () => ({}),
      ensureStack: () => Promise.reject(new Error('a given REDIS_URL must not be replaced')),
      stackDown: async () => {},
      startGateway: () => Promise.reject(new Error('not asked for')),
      openAccess: () => Promise.reject(new Error('not asked for')),
      openWebhooks: () => Promise.reject(new Error('not asked for')),
      openDeadResults: () => Promise.reject(new Error('not asked for')),
      openQuarantine: () => Promise.reject(new Error('not asked for')),
      openRoots: () => Promise.reject(new Error('not asked for')),
      makeRoot: () => Promise.reject(new Error('not asked for')),
      buildRoots: () => Promise.reject(new Error('not asked for')),
      importRoot: () => Promise.reject(new Error('not asked for')),
      catalogueImages: () => Promise.reject(new Error('not asked for')),
      serveMcp: async () => 0 as const,
    }
    const { exitCode, stderr } = await cli(['run', '-'], { stdin: 'x', services })
    expect(exitCode).toBe(3)
    expect(stderr).toBe('isopod: Redis at redis://x is not available\n')
  })

  it('shows no stack trace unless ISOPOD_DEBUG is set', async () => {
    const client = fakeClient(() => new TypeError('broken'))
    const plain = await cli(['run', '-'], { stdin: 'x', client })
    expect([plain.exitCode, plain.stderr]).toEqual([3, 'isopod: broken (ISOPOD_DEBUG=1 shows where)\n'])
    const debug = await cli(['run', '-'], { stdin: 'x', client, env: { ISOPOD_DEBUG: '1' } })
    expect(debug.stderr).toContain('TypeError: broken\n    at ')
  })

  it('ends with exit code 130 on Ctrl-C', async () => {
    const client = fakeClient(() => new DOMException('This operation was aborted', 'AbortError'))
    expect(await cli(['run', '-'], { stdin: 'x', client })).toMatchObject({
      exitCode: 130,
      stderr: 'isopod: interrupted\n',
    })
  })
})
