import { readFileSync } from 'node:fs'
import type { JobInput, Result } from '@isopod/client'
import { imageStates } from '@isopod/devstack'
import { gradingJob, ProblemSet, readSolutions, sampleVerdict } from '@isopod/grading'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type PlainRun, plainToolchain } from '../support/plain-toolchain.ts'
import { RUNTIME } from '../support/runtime.ts'
import { shippedCatalogue } from '../support/shipped-catalogue.ts'
import { SOAK } from '../support/soak.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

/** One program, its tests, and the verdict that it must get because of how it was written. */
interface Sample {
  readonly job: JobInput
  readonly verdict: string
  /** Marks a wrong sample that ends with exit code 0, so that a plain toolchain would accept it. */
  readonly escapes: boolean
}

type Line = Readonly<Record<string, unknown>>

const catalogue = await shippedCatalogue()
const { dockerHost } = inject('stack')
const images = new Map((await imageStates({ dockerHost, ours: true })).map((state) => [state.tag, state]))
const samples = Map.groupBy([...programs(), ...scripts()], ({ job }) => String(job.language))
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ...WITHOUT_RETRIES } })
})

afterAll(() => world?.close())

/** Samples of problems that read and print. */
function programs(): Sample[] {
  const problems = new ProblemSet('stdin-tests')
  const file = 'many-languages.jsonl'
  for (const [index, line] of lines(file).entries()) problems.add(line, { file, line: index + 1 })
  return lines('many-languages-samples.jsonl').flatMap((line, index) =>
    readSolutions('stdin-tests', line, { file: 'many-languages-samples.jsonl', line: index + 1 }).map(
      (solution) => {
        const problem = problems.find(solution.problem)
        if (problem === undefined) throw new Error(`no problem ${solution.problem}`)
        return { job: gradingJob(problem, solution), verdict: String(line['verdict']), escapes: false }
      },
    ),
  )
}

/** Samples with assertions, composed like those of MultiPL-E. */
function scripts(): Sample[] {
  return lines('many-languages-scripts.jsonl').map((line) => ({
    job: {
      language: String(line['language']),
      code: String(line['code']),
      tests: [{ script: String(line['script']) }],
      limits: { timeoutSeconds: 20, cpus: 1 },
    },
    verdict: String(line['verdict']),
    escapes: line['escapes'] === true,
  }))
}

function lines(name: string): Line[] {
  const text = readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8').trimEnd()
  return text.split('\n').map((line) => JSON.parse(line) as Line)
}

function verdictOf(result: Result): string {
  const { passed, total } = result.summary ?? expect.fail(`${result.status}: ${result.errorMessage}`)
  return sampleVerdict(passed === total ? 'passed' : 'failed', result)
}

/** The verdict of a sample by the exit codes and outputs of its runs with a plain toolchain. */
function plainVerdict({ job }: Sample, runs: readonly PlainRun[]): string {
  for (const [index, { exitCode, stdout }] of runs.entries()) {
    const { script, expected } = job.tests?.[index] ?? {}
    if (exitCode === 124) return 'timeout'
    if (exitCode !== 0) return script === undefined ? 'runtime_error' : 'failed'
    if (script === undefined && stdout.trimEnd() !== expected?.trimEnd()) return 'wrong_answer'
  }
  return 'passed'
}

it('the samples are in at least 18 languages, including each language that can run scripts', () => {
  expect(samples.size).toBeGreaterThanOrEqual(18)
  const able = catalogue.languages.filter(({ script }) => script !== undefined).map(({ name }) => name)
  const tested = lines('many-languages-scripts.jsonl').map((line) => line['language'])
  expect([...new Set(tested)].sort()).toEqual([...able].sort())
})

// promise: many-languages
describe.each([...samples.keys()])('samples in %s', (language) => {
  const image = images.get(catalogue.find(language)?.image ?? '')
  const modes: [string, Partial<JobInput>, number][] = [
    ['in containers of their own', {}, SOAK ? 1 : 3],
    ['in one container after each other', { reuse: 'batch', batchId: language }, 1],
  ]
  if (image === undefined || image.state === 'absent') {
    it('have their image', (context) => {
      context.skip(`image not built; npm run images -- ${image?.name ?? language}`)
    })
    return
  }
  // Verifies the recorded verdicts with the plain toolchain alone, without Isopod.
  if (SOAK)
    it('have the verdicts that the plain toolchain gives', { timeout: 300_000 }, async () => {
      const all = samples.get(language) ?? []
      const entry = catalogue.find(language) ?? expect.fail()
      const plain = all.map(({ job: { code, tests = [], limits } }) => ({
        code: [code, ...tests.flatMap(({ script }) => script ?? [])].join('\n'),
        stdins: tests.map(({ stdin = '' }) => stdin),
        timeoutSeconds: limits?.timeoutSeconds ?? 10,
      }))
      const runs = await plainToolchain(dockerHost, entry, plain)
      const verdicts = all.map((sample, index) => plainVerdict(sample, runs[index] ?? []))
      expect(verdicts).toEqual(
        all.map(({ job, verdict, escapes }) => {
          if (escapes) return 'passed'
          return verdict !== 'passed' && job.tests?.[0]?.script !== undefined ? 'failed' : verdict
        }),
      )
    })

  it.each(modes)('get their verdicts %s', { timeout: 300_000 }, async (_, mode, every) => {
    const all = (samples.get(language) ?? []).filter((__, index) => index % every === 0)
    const results = await Promise.all(all.map(({ job }) => world.client.run({ ...job, ...mode })))
    const wrong = all.flatMap(({ job, verdict, escapes }, index) => {
      const result = results[index] ?? expect.fail()
      const got = verdictOf(result)
      const suspicious = result.tests?.some((test) => test.suspicious !== undefined)
      if (got === verdict && suspicious === escapes) return []
      const said = [result.errorMessage, result.compileOutput, result.stderr]
      return [{ code: job.code, verdict, got, suspicious, said }]
    })
    expect(wrong).toEqual([])
    const reused = results.some(({ containerOrigin }) => containerOrigin === 'batch')
    expect(reused).toBe(mode.reuse === 'batch' && RUNTIME !== 'runsc')
  })
})
