import type { TestResult, Verdict } from '@isopod/protocol'

/** One run of something that is run more than once. */
export interface RepeatedRun {
  readonly result: Pick<TestResult, 'verdict' | 'exitCode' | 'signal'>
  /** It timed out while others kept it from the processor. */
  readonly starved: boolean
  /** It ran a second time because of that, and had the host to itself. */
  readonly alone: boolean
}

const FROM_GOOD_TO_BAD: readonly Verdict[] = [
  'skipped',
  'passed',
  'wrong_answer',
  'runtime_error',
  'timeout',
  'memory_exceeded',
  'output_exceeded',
]

/**
 * What the runs of one test come to: the first of the worst. Those that were starved do not count once there is one that
 * ran alone, but still make it flaky if that one ended otherwise.
 *
 * @returns undefined if there are none
 */
export function foldRuns<Run extends RepeatedRun>(
  runs: readonly Run[],
): { readonly run: Run; readonly flaky: boolean } | undefined {
  const [first] = runs
  const counted = runs.some(({ alone }) => alone) ? runs.filter(({ starved }) => !starved) : runs
  const [run] = counted.toSorted((one, other) => badness(other) - badness(one))
  if (first === undefined || run === undefined) return undefined
  return { run, flaky: runs.some((other) => endOf(other) !== endOf(first)) }
}

function badness({ result }: RepeatedRun): number {
  return FROM_GOOD_TO_BAD.indexOf(result.verdict)
}

/** How a run ended. Whoever is killed for a limit may end by itself in the same moment, which makes no difference. */
function endOf({ result: { verdict, exitCode, signal } }: RepeatedRun): string {
  return verdict === 'runtime_error' ? `${verdict} ${exitCode} ${signal}` : verdict
}
