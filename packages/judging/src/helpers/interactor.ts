import type { CheckerProgram, TestCase } from '@isopod/protocol'
import {
  type Execution,
  openPipe,
  type PipeEnd,
  type RunInput,
  type RunOutcome,
  type Sandbox,
  type TimeBudget,
} from '@isopod/sandbox'
import type { HelperProgram } from '../judging-rules.ts'
import { testName } from '../test-name.ts'
import { CheckerFaultError } from './checker-fault.ts'
import { ACCEPTED, REFUSED } from './checker-programs.ts'

/** Added to the program's timeout, in seconds, so that a program that waits for its interactor times out first. */
const GRACE_SECONDS = 5
/** Maximum length of an interactor's message, in characters. */
const MAX_MESSAGE = 400

/** Where an interactor runs. */
export interface InteractorContext {
  readonly sandbox: Pick<Sandbox, 'run'>
  /** The execution of the program under test; the interactor gets its runtime, files and variables. */
  readonly execution: Execution
  readonly helper: HelperProgram
  readonly budget?: TimeBudget | undefined
}

/** The answer of an interactor for one run. */
export interface InteractorAnswer {
  /** Why the run was refused; undefined if it was accepted. */
  readonly difference: string | undefined
  /** The job's time ran out before the interactor answered. */
  readonly ranOut?: boolean
}

interface Conversation {
  readonly test: TestCase
  /** Position of the program's run. */
  readonly position: number
  readonly programEnd: PipeEnd
  readonly interactorEnd: PipeEnd
  /** The interactor's run; undefined if the job's time ran out before. */
  readonly finished: PromiseWithResolvers<RunOutcome | undefined>
}

/** The interactor of a job, which talks to the program in each of its runs. All interactors of a job are the same program. */
export class Interactor {
  readonly #program: Pick<CheckerProgram, 'language' | 'code'>
  readonly #conversations = new Map<number, Conversation>()

  /** @param tests the test case of each run */
  constructor(program: Pick<CheckerProgram, 'language' | 'code'>, tests: readonly TestCase[]) {
    this.#program = program
    for (const [position, test] of tests.entries()) {
      if (test.interactor === undefined) continue
      const finished = Promise.withResolvers<RunOutcome | undefined>()
      // The promise may stay unobserved: `judge` is not called for a run that never started.
      finished.promise.catch(() => {})
      const [programEnd, interactorEnd] = openPipe()
      this.#conversations.set(position, { test, position, programEnd, interactorEnd, finished })
    }
  }

  /** Connects each run of the program to its end of the pipe. */
  connect(runs: readonly RunInput[]): readonly RunInput[] {
    return runs.map((run, position) => ({ ...run, pipe: this.#conversations.get(position)?.programEnd }))
  }

  /**
   * Runs the interactor once for each of its conversations, in their order.
   *
   * @throws {CheckerFaultError} if it fails itself; a platform fault; the signal's reason once aborted
   */
  async run(runs: readonly RunInput[], context: InteractorContext, signal: AbortSignal): Promise<void> {
    const conversations = [...this.#conversations.values()]
    const { sandbox, execution, budget } = context
    const { language, limits } = context.helper
    let done = 0
    try {
      const outcome = await sandbox.run(
        {
          ...execution,
          id: `${execution.id}.interactor`,
          language,
          limits,
          code: this.#program.code,
          runs: conversations.map(({ position, test, interactorEnd }) => ({
            limits: {
              ...limits,
              timeoutSeconds: (runs[position]?.limits.timeoutSeconds ?? 0) + GRACE_SECONDS,
            },
            pipe: interactorEnd,
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
            conversations[at]?.finished.resolve(run)
            done++
            return true
          },
        },
      )
      if (outcome.limit === 'job') {
        for (const { finished } of conversations) finished.resolve(undefined)
      } else if (done < conversations.length) {
        const why = outcome.compileOutput || outcome.errorMessage || 'it ended before the last run'
        throw new CheckerFaultError(`the interactor failed: ${why.slice(0, MAX_MESSAGE)}`)
      }
    } catch (error) {
      // No effect on conversations that have finished.
      for (const { finished } of conversations) finished.reject(error)
      throw error
    }
  }

  /**
   * Waits for the interactor's answer about a run of the program.
   *
   * @returns undefined for a run without interactor, and if the program failed first
   * @throws {CheckerFaultError} if the interactor itself failed
   */
  async judge(position: number, program: RunOutcome): Promise<InteractorAnswer | undefined> {
    const conversation = this.#conversations.get(position)
    if (conversation === undefined || program.limit === 'job') return undefined
    const { test, programEnd, finished } = conversation
    const run = await finished.promise
    if (run === undefined || run.limit === 'job') return { difference: undefined, ranOut: true }
    const programFailed = program.status !== 'success'
    if (run.exitCode === REFUSED && !(programFailed && programEnd.wasFirst)) {
      const message = Buffer.from(run.stderr.bytes).toString().trim().slice(0, MAX_MESSAGE)
      return { difference: message || 'the interactor refused it' }
    }
    if (programFailed) return undefined
    if (run.exitCode === ACCEPTED) return { difference: undefined }
    const why = `${run.errorMessage ?? 'Program exited with code 0'}; ${ACCEPTED} accepts, ${REFUSED} refuses`
    throw new CheckerFaultError(`the interactor of test "${testName(test, position)}" failed: ${why}`)
  }
}
