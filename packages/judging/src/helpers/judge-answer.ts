import type { Outcome, RunOutcome } from '@isopod/sandbox'
import { failureText } from '../failure-text.ts'

/** Exit codes with which a judge program answers; programs hardly exit with one of them by mistake. */
export const ACCEPTED = 42
export const REFUSED = 43

/** Maximum length of a judge program's message, in characters. */
const MAX_MESSAGE = 400

/** A program of the caller that judges runs. */
export type JudgeRole = 'checker' | 'interactor'

/** A judge program that failed itself, and so decided nothing. */
export interface JudgeFailure {
  readonly kind: 'failed'
  readonly message: string
  /** Whether it timed out while other executions kept it from the processor. */
  readonly starved: boolean
  /** Whether it was ended by its timeout. */
  readonly timedOut: boolean
}

/** What a judge program decided about one run; `late`: the job's time ran out first. */
export type JudgeAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly difference: string }
  | JudgeFailure
  | { readonly kind: 'late' }

/**
 * Reads the answer of one run of a judge program.
 *
 * @param words why it refuses: its stdout or its stderr
 */
export function answerOf(
  role: JudgeRole,
  run: RunOutcome,
  words: Uint8Array,
  isStarved: (run: RunOutcome) => boolean,
): JudgeAnswer {
  if (run.limit === 'job') return { kind: 'late' }
  if (run.exitCode === ACCEPTED) return { kind: 'accepted' }
  if (run.exitCode === REFUSED) {
    const message = Buffer.from(words).toString().trim().slice(0, MAX_MESSAGE)
    return { kind: 'refused', difference: message || `the ${role} refused it` }
  }
  const codes = `${ACCEPTED} accepts, ${REFUSED} rejects`
  const why =
    run.exitCode === null
      ? failureText(run)
      : failureText({ ...run, errorMessage: `it exited with code ${run.exitCode}; ${codes}` })
  return failed(`the ${role} failed: ${why}`, run, isStarved)
}

/** The failure of a judge program that did not start, for example because it does not compile. */
export function unstartedFailure(
  role: JudgeRole,
  outcome: Outcome,
  isStarved: (run: RunOutcome) => boolean,
): JudgeFailure {
  const { status, compileOutput, errorMessage } = outcome
  const words = compileOutput?.trim() || errorMessage || 'it did not say why'
  const what = status === 'compile_error' ? 'does not compile' : 'could not be started'
  return failed(`the ${role} ${what}: ${words.slice(0, MAX_MESSAGE)}`, outcome, isStarved)
}

function failed(message: string, run: RunOutcome, isStarved: (run: RunOutcome) => boolean): JudgeFailure {
  return { kind: 'failed', message, starved: isStarved(run), timedOut: run.status === 'timeout' }
}
