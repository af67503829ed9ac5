import { type JobInput, parseJob, type Result } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { type DemoJob, differences } from '../src/demo/expectation.ts'
import { DEMO_JOBS } from '../src/demo/jobs.ts'
import { demoTable } from '../src/demo/table.ts'
import type { Services } from '../src/services.ts'
import { cli, fakeClient, resultOf } from './support.ts'

const HELLO = DEMO_JOBS.find(({ name }) => name === 'hello') as DemoJob

/** Output that satisfies each pattern which the demo expects. */
const SAMPLES = [
  'ZeroDivisionError: division by zero\n',
  'urllib.error.URLError: <urlopen error>\n',
  'AssertionError: median([3, 1, 2]) gave 1\n',
  "main.c:1: error: 'missing' undeclared\n",
]

/** A result that meets the expectation of a demo job. */
function expected(job: JobInput): Result {
  const { expect: wanted } = DEMO_JOBS.find(({ job: { code } }) => code === job.code) as DemoJob
  const text = (pattern: string | RegExp | undefined) =>
    pattern instanceof RegExp ? (SAMPLES.find((sample) => pattern.test(sample)) ?? '') : (pattern ?? '')
  const cut = wanted.cutTo
  return resultOf({
    status: wanted.status,
    exitCode: wanted.exitCode ?? null,
    limit: wanted.limit ?? null,
    errorMessage: wanted.errorMessage ?? null,
    stdout: cut === undefined ? text(wanted.stdout) : 'x'.repeat(cut),
    stderr: text(wanted.stderr),
    truncated: { stdout: cut !== undefined, stderr: false },
    compileOutput: text(wanted.compileOutput),
  })
}

async function demo(answer: (job: JobInput) => Result, args: string[] = [], url?: string) {
  const client = fakeClient(answer)
  const services: Services = {
    connect: async () => client.client,
    findStack: async () => undefined,
    findPrivateServices: async () => ({}),
    ensureStack: async () => ({
      id: 'x',
      redis: { url: 'redis://x', ours: true },
      engine: { dockerHost: 'unix:///x', ours: true },
      workers: [],
    }),
    stackDown: async () => {},
    startGateway: () => Promise.reject(new Error('not asked for')),
    openAccess: () => Promise.reject(new Error('not asked for')),
    openWebhooks: () => Promise.reject(new Error('not asked for')),
    openDeadResults: () => Promise.reject(new Error('not asked for')),
    openQuarantine: () => Promise.reject(new Error('not asked for')),
    openRoots: () => Promise.reject(new Error('not asked for')),
    buildRoots: () => Promise.reject(new Error('not asked for')),
    makeRoot: () => Promise.reject(new Error('not asked for')),
    importRoot: () => Promise.reject(new Error('not asked for')),
    catalogueImages: () => Promise.reject(new Error('not asked for')),
    serveMcp: async () => 0,
  }
  return await cli(['demo', ...args], { client, services, env: { REDIS_URL: url } })
}

describe('isopod demo', () => {
  it('has only jobs that the protocol accepts, each with a unique name', () => {
    for (const { job } of DEMO_JOBS) expect(() => parseJob(job)).not.toThrow()
    expect(new Set(DEMO_JOBS.map(({ name }) => name)).size).toBe(DEMO_JOBS.length)
  })

  it('ends with exit code 0 when every result is as expected', async () => {
    const { exitCode, stdout, stderr } = await demo(expected)
    expect(stdout).toContain(`${DEMO_JOBS.length} of ${DEMO_JOBS.length} jobs ended as expected`)
    expect(stdout).toContain('npx isopod run FILE')
    expect(stderr).toContain(`[${DEMO_JOBS.length}/${DEMO_JOBS.length}] ok `)
    expect(exitCode).toBe(0)
  })

  it('ends with exit code 1 and prints the difference when a result is not as expected', async () => {
    const { exitCode, stdout } = await demo((job) =>
      job.code === HELLO.job.code ? resultOf({ stdout: 'Hello, Wrold!\n' }) : expected(job),
    )
    expect(exitCode).toBe(1)
    expect(stdout).toContain(
      '✗ hello: stdout should be "Hello, World!\\n" and is "Hello, Wrold!\\n"\n' +
        `${DEMO_JOBS.length - 1} of ${DEMO_JOBS.length} jobs ended as expected`,
    )
  })

  // promise: demo-private
  it('sends nothing to a Redis that it has not started, and names the option that allows it', async () => {
    const refused = await demo(expected, [], 'redis://shared')
    expect(refused).toMatchObject({ exitCode: 2, calls: [] })
    expect(refused.stderr).toMatch(/fork bomb.*REDIS_URL.*--allow-shared-redis/)
    expect((await demo(expected, ['--allow-shared-redis'], 'redis://shared')).exitCode).toBe(0)
  })

  it('prints only one JSON object per job with --json', async () => {
    const { stdout } = await demo(expected, ['--json'])
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; ok: boolean })
    expect(rows.map(({ name }) => name)).toEqual(DEMO_JOBS.map(({ name }) => name))
    expect(rows.every(({ ok }) => ok)).toBe(true)
  })

  it('has its results delivered to a queue of its own and takes them from there', async () => {
    const { calls } = await demo(expected)
    const jobs = calls.find(({ method }) => method === 'submitMany')?.value as JobInput[]
    expect(new Set(jobs.map(({ replyTo }) => replyTo))).toEqual(new Set(['demo']))
    expect(calls).toContainEqual({ method: 'results', value: { replyTo: 'demo', concurrency: 1 } })
  })
})

describe('differences', () => {
  it('reports nothing for a result that meets the expectation', () => {
    expect(differences(resultOf(), { status: 'success', exitCode: 0, stdout: /^hi$/m, stderr: '' })).toEqual(
      [],
    )
  })

  it('reports each field that differs from the expectation', () => {
    const result = resultOf({ status: 'timeout', exitCode: null, processesPeak: 101 })
    const found = differences(result, {
      status: 'success',
      exitCode: 0,
      cutTo: 5,
      limit: 'cpu',
      processesAtMost: 100,
    })
    expect(found).toEqual([
      'status should be "success" and is "timeout"',
      'exit code should be 0 and is null',
      'limit should be "cpu" and is null',
      'stdout cut should be true and is false',
      'bytes of stdout should be 5 and is 3',
      'processes should be at most 100 and were 101',
    ])
  })
})

describe('demoTable', () => {
  it('shows one line per job and fits the screen, whatever the programs printed', () => {
    const hostile = resultOf({ stdout: `\u001b[2J${'x'.repeat(1000)}\n`.repeat(3), language: '\u001b[1m' })
    const lines = demoTable([{ name: 'a', result: hostile, ok: false }], 80)
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(2)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters.
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines[1]).toMatch(/^✗ {2}a /)
  })
})
