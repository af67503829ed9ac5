import type { Outcome, RunOutcome } from './outcome.ts'

/**
 * Merges the outcomes of several executions of one job: the end and output of `shown`, the sum of all times, and the largest
 * memory peak.
 *
 * @param shown @default the first outcome that is not a success, else the last one
 */
export function mergeOutcomes(outcomes: readonly Outcome[], shown?: RunOutcome): Outcome {
  const base = outcomes.find(({ status }) => status !== 'success') ?? outcomes.at(-1)
  if (base === undefined) throw new Error('there is no outcome to merge')
  const sum = (of: (outcome: Outcome) => number | null) =>
    outcomes.reduce<number | null>((total, each) => plus(total, of(each)), 0)
  return {
    ...base,
    ...(shown && endOf(shown)),
    wallMs: sum(({ wallMs }) => wallMs),
    cpuUserMs: sum(({ cpuUserMs }) => cpuUserMs),
    cpuSysMs: sum(({ cpuSysMs }) => cpuSysMs),
    throttledMs: sum(({ throttledMs }) => throttledMs),
    memoryPeakBytes: Math.max(...outcomes.map(({ memoryPeakBytes }) => memoryPeakBytes ?? 0)) || null,
    timings: {
      acquire: sum(({ timings }) => timings.acquire) ?? 0,
      run: sum(({ timings }) => timings.run) ?? 0,
      collect: sum(({ timings }) => timings.collect) ?? 0,
    },
  }
}

/** Merges the outcomes of repeated runs of one program as {@link mergeOutcomes} does, with the figures of `shown` alone. */
export function mergeRepeats(outcomes: readonly Outcome[], shown: RunOutcome): Outcome {
  const { wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes, processesPeak, throttledMs } = shown
  const figures = { wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes, processesPeak, throttledMs }
  return { ...mergeOutcomes(outcomes, shown), ...figures }
}

function endOf({ status, exitCode, signal, limit, stdout, stderr, errorMessage }: RunOutcome) {
  return { status, exitCode, signal, limit, stdout, stderr, errorMessage }
}

function plus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}
