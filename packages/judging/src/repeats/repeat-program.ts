import { failureOf, foldRuns, type RepeatedRun } from '@isopod/grading'
import { NO_NETWORK } from '@isopod/protocol'
import {
  type Execution,
  jobTimedOut,
  maxStartupMs,
  mergeRepeats,
  type RunOutcome,
  wasStarved,
} from '@isopod/sandbox'
import type { JobRunOptions, Judging, JudgingOptions } from '../judging.ts'

/** A program without test cases that runs several times. */
export interface RepeatsPlan {
  readonly kind: 'repeats'
  readonly execution: Execution
  readonly repeat: number
  readonly network: string
}

interface KeptRun extends RepeatedRun {
  /** Undefined if an earlier run has the same verdict; the result then shows that run. */
  readonly outcome: RunOutcome | undefined
}

/**
 * Runs a program several times and reports the first of the worst runs. If a run or the compile run timed out while other
 * executions kept it from the processor, the program runs once more, exclusively.
 */
export async function repeatProgram(
  { execution, repeat, network }: RepeatsPlan,
  { sandbox, retry }: Pick<JudgingOptions, 'sandbox' | 'retry'>,
  options: JobRunOptions,
): Promise<Judging> {
  const { limits, stdin, args } = execution
  const kept: KeptRun[] = []
  const keep = (outcome: RunOutcome, exclusive = false) => {
    // A repetition cut off by the job's time limit says nothing new about the program.
    if (outcome.limit === 'job' && kept.length > 0) return false
    const { status, exitCode, signal } = outcome
    const starved = !exclusive && wasStarved(outcome, limits, (ms) => retry.wasOvercommitted(ms))
    const result = { verdict: failureOf(status) ?? ('passed' as const), exitCode, signal }
    const isKnown = kept.some((run) => run.starved === starved && run.result.verdict === result.verdict)
    kept.push({ result, starved, exclusive, outcome: isKnown ? undefined : outcome })
    return true
  }
  const runs = Array.from({ length: repeat }, () => ({ limits, stdin, args }))
  const first = await sandbox.run({ ...execution, runs }, { ...options, onRun: (run) => keep(run) })

  // The program has not run if it could not be compiled.
  const isUncompiled = kept.length === 0 && first.status === 'compile_error'
  if (isUncompiled) keep(first)
  // With a network, another run would send everything again.
  const mayRepeat = network === NO_NETWORK || isUncompiled
  const isDue = !options.budget.isSpent && mayRepeat && kept.some(({ starved }) => starved)
  const request = { timeoutsMs: [limits.timeoutSeconds * 1000], extraMs: maxStartupMs(execution) }
  const again = isDue
    ? await retry.runExclusively(request, (_, signal) =>
        sandbox.run({ ...execution, id: `${execution.id}.again` }, { ...options, signal }),
      )
    : undefined
  if (again !== undefined) keep(again, true)

  const folded = foldRuns(kept)
  if (folded === undefined || kept.length === 1) return { outcome: first, judged: {} }
  const outcomes = again === undefined ? [first] : [first, again]
  const shown = mergeRepeats(outcomes, folded.run.outcome ?? first)
  const outcome = first.limit === 'job' ? { ...shown, ...jobTimedOut(limits) } : shown
  return { outcome, judged: folded.flaky ? { flaky: true } : {} }
}
