import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DECEPTIVE_CODE_POINTS } from '../../../../packages/protocol/test/deceptive-code-points.ts'
import { startWorld, type World } from '../../../../test/support/world.ts'

const BIN = fileURLToPath(new URL('../../bin/isopod.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'isopod-deceptive-'))
const at = (name: string) => join(folder, name)
let world: World

/** Without surrogates: UTF-8, which the streams carry, cannot encode them. */
const CODES = DECEPTIVE_CODE_POINTS.filter((code) => code < 0xd800 || code > 0xdfff)
const ALL = CODES.map((code) => `<${String.fromCodePoint(code)}>`).join('')

beforeAll(async () => {
  world = await startWorld()
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world?.close()
})

/** Runs the real command on a real terminal; returns what the terminal received. */
async function onTerminal(args: readonly string[]): Promise<string> {
  const quoted = [process.execPath, BIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  const child = spawn('script', ['-qec', quoted.join(' '), at('typescript')], {
    env: {
      ...process.env,
      REDIS_URL: world.redisUrl,
      ISOPOD_QUEUE_PREFIX: world.prefix,
      TERM: 'xterm',
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'exit')
  // The first and the last line are those of `script`.
  const lines = readFileSync(at('typescript'), 'utf8').split('\n')
  return lines.slice(1, -2).join('\n')
}

/** Code points that the terminal received unescaped, except `own`: those that the command or the terminal itself writes. */
function arrived(screen: string, own: readonly string[]): string[] {
  return CODES.map((code) => String.fromCodePoint(code))
    .filter((character) => !own.includes(character) && screen.includes(character))
    .map((character) => `U+${character.codePointAt(0)?.toString(16)}`)
}

/** A program that prints every deceptive code point to both streams. */
function printer(): string {
  writeFileSync(
    at('print.py'),
    `import sys
text = "".join("<%c>" % code for code in ${JSON.stringify(CODES)})
for stream in sys.stdout, sys.stderr:
    stream.buffer.write(("begin" + text + "end\\n").encode())
`,
  )
  return at('print.py')
}

// promise: seen-output
it('isopod run shows and escapes every deceptive character that a program prints', async () => {
  const screen = await onTerminal(['run', printer()])
  expect(screen.match(/begin<\\x00>/g)).toHaveLength(2)
  expect(screen).toContain('<\\u{202e}>')
  expect(screen).toContain('<\\u{e0041}>')
  expect(arrived(screen, ['\r'])).toEqual([])
})

it('isopod run --json escapes deceptive characters on a terminal, and parses back to the same output', async () => {
  const screen = await onTerminal(['run', '--json', printer()])
  expect(arrived(screen, ['\r'])).toEqual([])
  expect(JSON.parse(screen)).toMatchObject({ stdout: `begin${ALL}end\n`, stderr: `begin${ALL}end\n` })
})

it('isopod grade escapes names and outputs of a data set, on the terminal and in the report', async () => {
  // The table cuts long names, so each gets few code points. Names of problems without samples are listed whole.
  const tried = Array.from({ length: 5 }, (_, index) =>
    CODES.filter((__, place) => place % 60 === index * 12),
  )
  const name = (codes: readonly number[]) => codes.map((code) => String.fromCodePoint(code)).join('')
  const unsampled = Array.from({ length: 5 }, (_, index) => CODES.filter((__, place) => place % 5 === index))
  const tests = [{ stdin: '', expected: ALL }]
  const problems = [
    ...tried.map((codes, index) => ({ id: `t${index}${name(codes)}`, tests })),
    ...unsampled.map((codes, index) => ({ id: `u${index}${name(codes)}`, tests })),
  ]
  const samples = tried.map((codes, index) => ({
    id: `t${index}${name(codes)}`,
    language: 'python',
    solution: readFileSync(printer(), 'utf8'),
  }))
  const lines = (records: readonly unknown[]) =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('')
  writeFileSync(at('problems.jsonl'), lines(problems))
  writeFileSync(at('samples.jsonl'), lines(samples))
  const files = ['--out', at('out.jsonl'), '--report', at('report.html')]
  const screen = await onTerminal([
    ...['grade', '--dataset', 'stdin-tests', at('problems.jsonl'), '--samples', at('samples.jsonl')],
    ...files,
  ])
  expect(screen).toContain('5 samples of 10 stdin-tests problems')
  expect(screen).toContain('t0\\x00')
  // The progress bar itself writes these two.
  expect(arrived(screen, ['\r', '\u001b'])).toEqual([])
  const report = readFileSync(at('report.html'), 'utf8')
  expect(report).toContain('\\u{202e}')
  expect(arrived(report, [])).toEqual([])
})
