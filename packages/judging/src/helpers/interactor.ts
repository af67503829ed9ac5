import type { CheckerProgram, TestCase } from '@isopod/protocol'
import {
  type Execution,
  openPipe,
  type PipeEnd,
  type RunInput,
  type RunOutcome,
  type Sandbox,
  type TimeBudget,
  wasStarved,
} from '@isopod/sandbox'
import type { ContentionRetry } from '../contention-retry.ts'
import type { HelperProgram } from '../judging-rules.ts'
import { sharedInRole } from '../shared-containers.ts'
import { answerOf, type JudgeAnswer, unstartedFailure } from './judge-answer.ts'

/** Added to the program's timeout, in seconds, so that a program that waits for its interactor times out first. */
const GRACE_SECONDS = 5

/** Where an interactor runs. */
export interface InteractorContext {
  readonly sandbox: Pick<Sandbox, 'run'>
  /** The execution of the program under test; the interactor gets its runtime, files and variables. */
  readonly execution: Execution
  readonly helper: HelperProgram
  readonly wasOvercommitted: ContentionRetry['wasOvercommitted']
  readonly budget?: TimeBudget | undefined
}

interface Conversation {
  readonly test: TestCase
  /** Position of the program's run. */
  readonly position: number
  readonly programEnd: PipeEnd
  readonly interactorEnd: PipeEnd
  readonly finished: PromiseWithResolvers<JudgeAnswer>
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
      const finished = Promise.withResolvers<JudgeAnswer>()
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
   * Runs the interactor once for each of its conversations, in their order. If it cannot be started, the program reads the end of
   * its input.
   *
   * @throws a platform fault; the signal's reason once aborted
   */
  async run(runs: readonly RunInput[], context: InteractorContext, signal: AbortSignal): Promise<void> {
    const conversations = [...this.#conversations.values()]
    const { sandbox, execution, wasOvercommitted, budget } = context
    const { language, limits } = context.helper
    const isStarved = (run: RunOutcome) => wasStarved(run, limits, wasOvercommitted)
    let done = 0
    try {
      const outcome = await sandbox.run(
        {
          ...execution,
          id: `${execution.id}.interactor`,
          sharedBy: sharedInRole(execution, 'judge'),
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
            conversations[at]?.finished.resolve(answerOf('interactor', run, run.stderr.bytes, isStarved))
            done++
            return true
          },
        },
      )
      const rest: JudgeAnswer =
        outcome.limit === 'job' ? { kind: 'late' } : unstartedFailure('interactor', outcome, isStarved)
      for (const { finished, interactorEnd } of conversations.slice(done)) {
        finished.resolve(rest)
        if (rest.kind === 'failed') endUnstarted(interactorEnd, signal)
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
   * @returns undefined for a run without interactor, and if the program's own end decides
   */
  async judge(position: number, program: RunOutcome): Promise<JudgeAnswer | undefined> {
    const conversation = this.#conversations.get(position)
    if (conversation === undefined || program.limit === 'job') return undefined
    const answer = await conversation.finished.promise
    if (answer.kind === 'late' || program.status === 'success') return answer
    if (answer.kind === 'accepted') return undefined
    // An interactor that does not end although its input has ended would hold up every program.
    const hangs = answer.kind === 'failed' && answer.timedOut
    return conversation.programEnd.wasFirst && !hangs ? undefined : answer
  }
}

/** Lets a program start whose interactor could not, and read the end of its input. */
function endUnstarted(interactorEnd: PipeEnd, signal: AbortSignal): void {
  interactorEnd.meet(signal).catch(() => {})
  interactorEnd.end()
}
