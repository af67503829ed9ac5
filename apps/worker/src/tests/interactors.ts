import type { CheckerProgram, Language, Limits, TestCase } from '@isopod/protocol'
import {
  type Execution,
  openPipe,
  type PipeEnd,
  type RunInput,
  type RunOutcome,
  type Sandbox,
  type TimeBudget,
} from '@isopod/sandbox'
import { CheckerFaultError } from './checker-fault.ts'
import { ACCEPTED, REFUSED } from './checker-programs.ts'
import { testName } from './plan-tests.ts'

/** How much longer than the program its interactor may take, in seconds: who waits for the other must end first. */
const GRACE_SECONDS = 5
/** Characters of what an interactor says that are passed on. */
const SHOWN = 400

/** Where an interactor runs, and for which start of which job. */
export interface InteractorStage {
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly of: Pick<Execution, 'id' | 'attempt'>
  readonly language: Language
  readonly limits: Limits
  readonly budget?: TimeBudget | undefined
}

/** What an interactor made of one test: undefined accepts it. */
export interface InteractorWord {
  readonly difference: string | undefined
  /** The job had no time left for its word. */
  readonly ranOut?: boolean
}

interface Talk {
  readonly test: TestCase
  readonly index: number
  /** The program's end, and the interactor's. */
  readonly ends: readonly [PipeEnd, PipeEnd]
  /** Undefined: the job had no time left for it. */
  readonly over: PromiseWithResolvers<RunOutcome | undefined>
}

/** The interactor of a job's tests, and its talk with the program in each of them. All of a job's interactors are one program. */
export class Interactor {
  readonly #program: Pick<CheckerProgram, 'language' | 'code'>
  readonly #talks = new Map<number, Talk>()

  constructor(program: Pick<CheckerProgram, 'language' | 'code'>, tests: readonly TestCase[]) {
    this.#program = program
    for (const [index, test] of tests.entries()) {
      if (test.interactor === undefined) continue
      const over = Promise.withResolvers<RunOutcome | undefined>()
      // Whoever asks for it hears of it; nobody must.
      over.promise.catch(() => {})
      this.#talks.set(index, { test, index, ends: openPipe(), over })
    }
  }

  /** The program's runs, with its end of each pipe. */
  piped(runs: readonly RunInput[]): readonly RunInput[] {
    return runs.map((run, index) => ({ ...run, pipe: this.#talks.get(index)?.ends[0] }))
  }

  /** Runs the interactor for each of its tests in turn. Rejects with a platform fault, and the signal's reason once aborted. */
  async run(runs: readonly RunInput[], stage: InteractorStage, signal: AbortSignal): Promise<void> {
    const talks = [...this.#talks.values()]
    // Those that are over stay as they are.
    const lose = (reason: unknown) => {
      for (const { over } of talks) over.reject(reason)
    }
    const { sandbox, of, language, limits, budget } = stage
    let told = 0
    try {
      const outcome = await sandbox.run(
        {
          ...of,
          id: `${of.id}.interactor`,
          language,
          limits,
          code: this.#program.code,
          runs: talks.map(({ index, test, ends }) => ({
            limits: {
              ...limits,
              timeoutSeconds: (runs[index]?.limits.timeoutSeconds ?? 0) + GRACE_SECONDS,
            },
            pipe: ends[1],
            files: {
              input: { content: test.stdin ?? '', encoding: 'utf8' },
              expected: { content: test.expected ?? '', encoding: 'utf8' },
            },
          })),
        },
        {
          signal,
          budget,
          ahead: false,
          onRun: (run, at) => {
            talks[at]?.over.resolve(run)
            told++
            return true
          },
        },
      )
      if (outcome.limit === 'job') {
        for (const { over } of talks) over.resolve(undefined)
      } else if (told < talks.length) {
        const why = outcome.compileOutput || outcome.errorMessage || 'it did not come so far'
        throw new CheckerFaultError(`the interactor failed: ${why.slice(0, SHOWN)}`)
      }
    } catch (error) {
      lose(error)
      throw error
    }
  }

  /**
   * What the interactor made of a test, once both programs have ended.
   *
   * @returns undefined for a test without one, and where the program failed by itself first
   * @throws {CheckerFaultError} if the interactor failed by itself
   */
  async judge(index: number, program: RunOutcome): Promise<InteractorWord | undefined> {
    const talk = this.#talks.get(index)
    if (talk === undefined || program.limit === 'job') return undefined
    const { test, ends, over } = talk
    const run = await over.promise
    if (run === undefined || run.limit === 'job') return { difference: undefined, ranOut: true }
    const wasFirst = ends[0].wasFirst
    const failed = program.status !== 'success'
    if (run.exitCode === REFUSED && !(failed && wasFirst)) {
      const said = Buffer.from(run.stderr.bytes).toString().trim().slice(0, SHOWN)
      return { difference: said || 'the interactor refused it' }
    }
    if (failed) return undefined
    if (run.exitCode === ACCEPTED) return { difference: undefined }
    const why = `${run.errorMessage ?? 'Program exited with code 0'}; ${ACCEPTED} accepts, ${REFUSED} refuses`
    throw new CheckerFaultError(`the interactor of test "${testName(test, index)}" failed: ${why}`)
  }
}
