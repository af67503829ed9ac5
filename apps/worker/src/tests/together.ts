import type { Outcome, RunOutcome } from '@isopod/sandbox'

/**
 * One outcome of several: what happened in `shown`, with the times of all together and the memory of the largest.
 *
 * @param shown @default the first that is not good, else the last
 */
export function together(outcomes: readonly Outcome[], shown?: RunOutcome): Outcome {
  const base = outcomes.find(({ status }) => status !== 'success') ?? outcomes.at(-1)
  if (base === undefined) throw new Error('a job runs at least once')
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

function endOf({ status, exitCode, signal, limit, stdout, stderr, errorMessage }: RunOutcome) {
  return { status, exitCode, signal, limit, stdout, stderr, errorMessage }
}

function plus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}
