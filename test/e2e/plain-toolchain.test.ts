import { constants } from 'node:os'
import type { JobInput, Result } from '@isopod/client'
import { imageStates } from '@isopod/devstack'
import type { Language } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { languageFixtures, programsOf } from '../support/language-fixtures.ts'
import { type LanguageSample, languageSamples } from '../support/language-samples.ts'
import {
  type PlainOutcome,
  type PlainProgram,
  type PlainRun,
  plainToolchain,
} from '../support/plain-toolchain.ts'
import { shippedCatalogue } from '../support/shipped-catalogue.ts'
import { SOAK } from '../support/soak.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

/** A program as a job and for the plain toolchain, and what both of its outcomes must have in common. */
interface Comparison {
  readonly name: string
  readonly job: JobInput
  readonly plain: PlainProgram
  readonly plainly: (outcome: PlainOutcome) => unknown
  readonly ours: (result: Result) => unknown
}

/** Programs that only a limit ends. */
const ENDLESS = ['forever', 'hog']
const STDIN = 'one\nzwei größer 𝄞\n'
const SECONDS = 20
/** Languages in `npm test`, because their images are always built; `npm run test:soak` has all. */
const USUAL = ['python', 'javascript', 'bash', 'c']
/** Every nth sample runs. */
const EVERY = SOAK ? 1 : 5

const { dockerHost } = inject('stack')
const { languages } = await shippedCatalogue()
const images = new Map((await imageStates({ dockerHost, ours: true })).map((state) => [state.tag, state]))
const fixtures = languageFixtures()
const samples = languageSamples()
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ...WITHOUT_RETRIES } })
})

afterAll(() => world?.close())

/** The programs of test/fixtures/languages, compared by status, exit code and stdout. */
function programs(language: string): Comparison[] {
  const all = [...programsOf(fixtures.get(language) ?? expect.fail(`${language} has no programs`))]
  return all.flatMap(([name, code]) => {
    if (ENDLESS.includes(name)) return []
    const limits = { timeoutSeconds: SECONDS, cpus: 1 }
    return {
      name,
      job: { language, code, stdin: STDIN, limits },
      plain: { code, stdins: [STDIN], timeoutSeconds: SECONDS },
      plainly: ({ built, runs: [run] }) => (built && run ? endOf(run) : 'compile_error'),
      ours: ({ status, exitCode, signal, stdout }) => {
        if (status === 'compile_error') return status
        const code = exitCode ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? Number.NaN)
        return [status, code, stdout]
      },
    }
  })
}

function endOf({ exitCode, stdout }: PlainRun): unknown {
  return [exitCode === 0 ? 'success' : 'execution_error', exitCode, stdout]
}

/** The samples of test/data, compared by the verdict of each test. */
function graded({ job, between = '' }: LanguageSample, index: number): Comparison {
  const { code, limits, tests = [] } = job
  const scripts = tests.flatMap(({ script }) => (script === undefined ? [] : [between, script]))
  return {
    name: `sample ${index}`,
    job,
    plain: {
      code: [code, ...scripts].join('\n'),
      stdins: tests.map(({ stdin = '' }) => stdin),
      timeoutSeconds: limits?.timeoutSeconds ?? 10,
    },
    plainly: ({ built, runs }) =>
      tests.map(({ script, expected }, at) => {
        const { exitCode, stdout } = runs[at] ?? expect.fail()
        if (script !== undefined) return exitCode === 0 ? 'passed' : 'failed'
        if (!built) return 'compile_error'
        if (exitCode === 124) return 'timeout'
        if (exitCode !== 0) return 'runtime_error'
        return stdout.trimEnd() === expected?.trimEnd() ? 'passed' : 'wrong_answer'
      }),
    ours: (result) =>
      tests.map(({ script }, at) => {
        if (result.status === 'compile_error' && script === undefined) return result.status
        const { verdict } = result.tests?.[at] ?? {}
        return script === undefined || verdict === 'passed' ? verdict : 'failed'
      }),
  }
}

/** The disagreements between a language's own toolchain and Isopod, over all programs of the repository. */
async function disagreements(language: Language): Promise<unknown[]> {
  // A sample that escapes ends with exit code 0 in the plain toolchain, which believes it.
  const believable = (samples.get(language.name) ?? []).filter(({ escapes }) => !escapes)
  const judged = believable.filter((_, index) => index % EVERY === 0)
  const all = [...programs(language.name), ...judged.map(graded)]
  const outcomes = await plainToolchain(
    dockerHost,
    language,
    all.map(({ plain }) => plain),
  )
  const results = await Promise.all(all.map(({ job }) => world.client.run(job)))
  return all.flatMap(({ name, plain, plainly, ours }, index) => {
    const result = results[index] ?? expect.fail()
    const [wanted, got] = [plainly(outcomes[index] ?? expect.fail()), ours(result)]
    if (JSON.stringify(wanted) === JSON.stringify(got)) return []
    const said = [result.errorMessage, result.compileOutput, result.stderr]
    return [{ name, code: plain.code, wanted, got, said }]
  })
}

// promise: plain-toolchain
describe('programs end as with the plain toolchain of their language', () => {
  for (const language of languages) {
    it(language.name, { timeout: scaled(600_000) }, async (context) => {
      const image = images.get(language.image)
      context.skip(!SOAK && !USUAL.includes(language.name), 'languages beyond the usual: npm run test:soak')
      context.skip(
        image === undefined || image.state === 'absent',
        `image not built; npm run images -- ${image?.name ?? language.image}`,
      )
      expect(await disagreements(language)).toEqual([])
    })
  }
})
