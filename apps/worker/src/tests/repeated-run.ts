import { failureOf, foldRuns, type RepeatedRun } from '@isopod/grading'
import { type Job, NO_NETWORK, type Result } from '@isopod/protocol'
import {
  type Execution,
  jobTimedOut,
  type Outcome,
  type RunOptions,
  type RunOutcome,
  type Sandbox,
} from '@isopod/sandbox'
import { isStarved, type SecondRuns, secondId, startupMs } from './second-run.ts'
import { together } from './together.ts'

interface KeptRun extends RepeatedRun {
  /** Undefined where an earlier run had the same verdict: the first is told. */
  readonly outcome: RunOutcome | undefined
}

/** Runs a program without tests as often as its job says, and once more, alone, if that is called for. */
export async function repeatedRun(
  execution: Execution,
  { repeat, network }: Pick<Job, 'repeat' | 'network'>,
  { sandbox, again }: { readonly sandbox: Pick<Sandbox, 'run'>; readonly again: SecondRuns },
  options: RunOptions & { readonly signal: AbortSignal },
): Promise<{ readonly outcome: Outcome; readonly graded?: Pick<Result, 'flaky'> }> {
  const runs: KeptRun[] = []
  const take = (outcome: RunOutcome, alone = false) => {
    // That it was begun once more says nothing about a program that has run.
    if (outcome.limit === 'job' && runs.length > 0) return false
    const { status, exitCode, signal } = outcome
    const starved = !alone && isStarved(outcome, execution.limits, (ms) => again.wasCrowded(ms))
    const result = { verdict: failureOf(status) ?? ('passed' as const), exitCode, signal }
    const isKnown = runs.some((run) => run.starved === starved && run.result.verdict === result.verdict)
    runs.push({ result, starved, alone, outcome: isKnown ? undefined : outcome })
    return true
  }
  const first = await sandbox.run(...(repeat === 1 ? once() : manyTimes()))
  if (repeat === 1) take(first)

  // Whom it talked to would hear it all again.
  const isDue = !options.budget?.isSpent && network === NO_NETWORK && runs.some(({ starved }) => starved)
  const second = isDue
    ? await again.alone(aloneRequest(), (_, signal) =>
        sandbox.run({ ...execution, id: secondId(execution) }, { ...options, signal }),
      )
    : undefined
  if (second !== undefined) take(second, true)

  const folded = foldRuns(runs)
  // It did not even start, or there is nothing to choose from.
  if (folded === undefined || runs.length === 1) return { outcome: first }
  const outcomes = second === undefined ? [first] : [first, second]
  const shown = { ...together(outcomes, folded.run.outcome), ...figuresOf(folded.run.outcome ?? first) }
  const outcome = first.limit === 'job' ? { ...shown, ...jobTimedOut(execution.limits) } : shown
  return { outcome, ...(folded.flaky && { graded: { flaky: true } }) }

  function aloneRequest() {
    const { limits, language } = execution
    return { timeoutsMs: [limits.timeoutSeconds * 1000], extraMs: startupMs(language) }
  }

  function once(): [Execution, RunOptions] {
    return [execution, options]
  }

  function manyTimes(): [Execution, RunOptions] {
    const { limits, stdin, args } = execution
    const all = Array.from({ length: repeat }, () => ({ limits, stdin, args }))
    return [
      { ...execution, runs: all },
      { ...options, onRun: (run) => take(run) },
    ]
  }
}

function figuresOf(run: RunOutcome) {
  const { wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes, processesPeak, throttledMs } = run
  return { wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes, processesPeak, throttledMs }
}
