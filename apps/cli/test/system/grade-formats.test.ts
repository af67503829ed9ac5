import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gradingLanguage, ProblemSet, parseRecord, readSolutions, recognizeDataset } from '@isopod/grading'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../../../../test/support/world.ts'
import { isopod } from './isopod.ts'

let world: World
let lacking: ReadonlySet<string>
const folder = mkdtempSync(join(tmpdir(), 'isopod-formats-'))

beforeAll(async () => {
  world = await startWorld({ env: WITHOUT_RETRIES })
  const offered = await world.client.languages()
  const without = (offered ?? []).filter(({ missingImage }) => missingImage !== undefined)
  lacking = new Set(without.map(({ name }) => name))
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world?.close()
})

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}

function dataFile(name: string): string {
  return fileURLToPath(new URL(`../../../../test/data/formats/${name}.jsonl`, import.meta.url))
}

/** Files with the samples whose languages can run here, and the languages of the others. */
function runnable(name: string) {
  const problems = linesOf(dataFile(name)).map(parseRecord)
  const set = new ProblemSet(recognizeDataset(problems[0]) ?? expect.fail())
  for (const [index, value] of problems.entries()) set.add(value, { file: name, line: index + 1 })
  const left = new Set<string>()
  const samples = linesOf(dataFile(`${name}-samples`)).filter((line, index) => {
    const [solution] = readSolutions(set.dataset, parseRecord(line), { file: name, line: index + 1 })
    const problem = set.find(solution?.problem ?? '')
    if (problem === undefined || solution === undefined) return true
    const language = gradingLanguage(problem, solution, undefined) ?? 'python'
    if (lacking.has(language)) left.add(language)
    return !lacking.has(language)
  })
  const file = join(folder, `${name}.jsonl`)
  writeFileSync(file, `${samples.join('\n')}\n`)
  return { file, left: [...left] }
}

function grade(...args: readonly string[]) {
  const env = { REDIS_URL: world.redisUrl, ISOPOD_QUEUE_PREFIX: world.prefix }
  return isopod(['grade', ...args], { env })
}

// promise: published-formats
describe('isopod grade', () => {
  it.each([
    'evalplus-humaneval',
    'evalplus-mbpp',
    'livecodebench',
    'bigcodebench',
    'apps',
    'code-contests',
    'humaneval-x',
    'multipl-e',
  ])('recognizes %s and gives each sample its verdict', { timeout: scaled(300_000) }, async (name) => {
    const { file, left } = runnable(name)
    if (left.length > 0) console.error(`${name}: not graded here, because images lack: ${left.join(', ')}`)
    const out = join(folder, `${name}.out.jsonl`)
    const { exitCode, stdout, stderr } = await grade(
      dataFile(name),
      '--samples',
      file,
      '--out',
      out,
      '--json',
      // On a busy host, C++ can take longer than the default.
      '--compile-timeout',
      '120',
    )
    expect([exitCode, stderr]).toEqual([0, expect.any(String)])
    expect(JSON.parse(String(stdout))).toMatchObject({ suspicious: 0 })
    const rows = linesOf(out).map((line) => JSON.parse(line) as Record<string, unknown>)
    const wrong = rows.filter(({ passed, right }) => passed !== right)
    expect(wrong).toEqual([])
  })

  it('scores base tests and all tests of EvalPlus apart', async () => {
    const out = join(folder, 'plus.jsonl')
    const samples = dataFile('evalplus-humaneval-samples')
    const { stdout } = await grade(dataFile('evalplus-humaneval'), '-s', samples, '-o', out, '--json')
    expect(JSON.parse(stdout.toString())).toMatchObject({
      passAt: { 1: { estimate: (1 / 2 + 1 / 3) / 2 } },
      basePassAt: { 1: { estimate: (1 + 2 / 3) / 2 } },
    })
    const statuses = linesOf(out).map((line) => {
      const { base_status: base, plus_status: plus } = JSON.parse(line) as Record<string, unknown>
      return `${base} ${plus}`
    })
    expect(statuses).toEqual(['pass pass', 'pass fail', 'pass pass', 'pass fail', 'fail fail'])
  })
})
