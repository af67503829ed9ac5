import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Grades } from '@isopod/grading'
import type { LanguageSummary } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { attackTable } from '../src/commands/doctor-attack.ts'
import { COMMANDS } from '../src/declare/commands.ts'
import { DEMO_JOBS } from '../src/demo/jobs.ts'
import { demoTable } from '../src/demo/table.ts'
import { gradeTable } from '../src/grade/grade-table.ts'
import { cli, fakeClient, resultOf } from './support.ts'

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url))
const BIN = join(CHECKOUT, 'apps', 'cli', 'bin', 'isopod.js')
const TERMINAL = { isTTY: true, columns: 80 }
const SUBCOMMANDS = [
  ...['create', 'list', 'revoke'].map((name) => `keys ${name}`),
  ...['list', 'redeliver', 'secret', 'rotate'].map((name) => `webhooks ${name}`),
]

function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length))
}

// promise: terminal-width
describe('at a terminal of 80 columns', () => {
  it.each(['', ...Object.keys(COMMANDS), ...SUBCOMMANDS])('the help of isopod %s fits', async (words) => {
    const { stdout, exitCode } = await cli([...words.split(' ').filter(Boolean), '--help'], TERMINAL)
    expect(exitCode).toBe(0)
    expect(widest(stdout)).toBeLessThanOrEqual(80)
  })

  it('the help fits a real terminal, too', () => {
    const script = `stty cols 80; '${process.execPath}' '${BIN}' run --help; '${process.execPath}' '${BIN}' --help`
    const typescript = execFileSync('script', ['-qec', script, '/dev/null'], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', SHELL: '/bin/sh' },
    })
    expect(typescript).toContain('Usage: isopod run')
    expect(widest(typescript.replaceAll('\r', ''))).toBeLessThanOrEqual(80)
  })

  it('the table of the demo fits with every name, status and figure', () => {
    const result = resultOf({
      status: 'memory_exceeded',
      exitCode: null,
      signal: 'SIGKILL',
      wallMs: 12_345,
      memoryPeakBytes: 512 * 1024 * 1024,
      stdout: 'x'.repeat(200),
    })
    const text = demoTable(
      DEMO_JOBS.map(({ name }) => ({ name, result, ok: true })),
      80,
    )
    expect(widest(text)).toBeLessThanOrEqual(80)
    for (const { name } of DEMO_JOBS) expect(text).toContain(` ${name} `)
  })

  it('the languages of the whole catalogue fit', async () => {
    const file = readFileSync(join(CHECKOUT, 'packages', 'languages', 'languages.yaml'), 'utf8')
    const entries = Object.entries(
      parse(file) as Record<string, { version: string; aliases?: string[]; image: string }>,
    )
    const client = fakeClient()
    client.client.languages = async () =>
      entries.map(
        ([name, { version, aliases = [], image }]): LanguageSummary => ({
          name,
          version,
          aliases,
          missingImage: image,
        }),
      )
    const { stdout } = await cli(['languages'], { ...TERMINAL, client })
    expect(stdout.split('\n')).toHaveLength(entries.length + 2)
    expect(widest(stdout)).toBeLessThanOrEqual(80)
  })

  it('the findings of doctor are wrapped behind their subject', async () => {
    const client = fakeClient()
    client.client.languages = async () =>
      Array.from({ length: 40 }, (_, at) => ({ name: `language-${at}`, version: '1', aliases: [] }))
    const { stdout } = await cli(['doctor'], { ...TERMINAL, client, env: { DOCKER_HOST: 'unix:///nowhere' } })
    expect(widest(stdout)).toBeLessThanOrEqual(80)
    expect(stdout).toMatch(/\n {11}language-\d+/)
    const narrow = await cli(['doctor'], {
      ...TERMINAL,
      columns: 40,
      client,
      env: { DOCKER_HOST: 'unix:///n' },
    })
    expect(widest(narrow.stdout)).toBeLessThanOrEqual(40)
  })

  it('the tables of attacks and of a batch fit', () => {
    const finding = {
      probe: 'a probe with a name as long as those of the longest ones are',
      runtime: 'runsc',
      tries: '',
      verdict: 'exempt',
      detail: 'y'.repeat(100),
      ms: 12_345,
    } as const
    expect(widest(attackTable([finding, { ...finding, runtime: 'runc' }], 1, 80))).toBeLessThanOrEqual(80)
    const grades = new Grades()
    const problem = 'p'.repeat(60)
    const result = resultOf({ wallMs: 12_345 })
    grades.add({ number: 1, problem, verdict: 'passed', code: '', result, flaky: false })
    const passAt = { 1: { estimate: 1, low: 0.5, high: 1, problems: 1 }, 100: null }
    const summary = { id: 'b', problems: 1, solved: 1, samples: 1, passed: 1, faults: 0, retriedFaults: 0 }
    const text = gradeTable(grades, { ...summary, passAt } as unknown as Parameters<typeof gradeTable>[1], 80)
    expect(widest(text)).toBeLessThanOrEqual(80)
  })
})

describe('colour', () => {
  const run = (env: NodeJS.ProcessEnv, isTTY: boolean) =>
    cli(['run', '-'], { stdin: 'x', isTTY, env: { NO_COLOR: undefined, ...env } })

  it('is used only on terminals unless NO_COLOR, TERM or FORCE_COLOR says otherwise', async () => {
    expect((await run({}, true)).stderr).toContain('\u001b[32msuccess\u001b[39m')
    expect((await run({}, false)).stderr).not.toContain('\u001b')
    expect((await run({ NO_COLOR: '1' }, true)).stderr).not.toContain('\u001b')
    expect((await run({ TERM: 'dumb' }, true)).stderr).not.toContain('\u001b')
    expect((await run({ FORCE_COLOR: '1' }, false)).stderr).toContain('\u001b[32m')
  })
})

// promise: quick-help
describe('processor time', () => {
  const REPORT =
    'data:text/javascript,process.on("exit",()=>process._rawDebug(process.cpuUsage().user+process.cpuUsage().system))'
  let bare: number | undefined
  /** CPU time of a Node process including its start, in microseconds: the smaller of two measurements. */
  const cost = (...words: string[]) =>
    Math.min(
      ...[1, 2].map(() => {
        const { stderr } = spawnSync(process.execPath, ['--import', REPORT, ...words], { encoding: 'utf8' })
        return Number(stderr.trimEnd().split('\n').at(-1))
      }),
    )

  it.each(['--help', '--version', 'rnu', 'up --tiemout', 'down --help'])(
    'isopod %s takes little more than Node itself',
    (words) => {
      bare ??= cost('-e', '0')
      expect(cost(BIN, ...words.split(' '))).toBeLessThan(4 * bare)
    },
  )

  it('isopod run --help takes little more than loading the protocol, whose ranges it shows', () => {
    const protocol = join(CHECKOUT, 'packages', 'protocol', 'dist', 'index.js')
    expect(cost(BIN, 'run', '--help')).toBeLessThan(2 * cost('-e', `import(${JSON.stringify(protocol)})`))
  })
})

it('the README lists every command', () => {
  const page = readFileSync(join(CHECKOUT, 'apps', 'cli', 'README.md'), 'utf8')
  for (const name of Object.keys(COMMANDS)) expect(page).toMatch(new RegExp(`^\\|.*\`${name}\\b`, 'm'))
})
