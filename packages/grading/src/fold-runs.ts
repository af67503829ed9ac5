import type { TestResult, Verdict } from '@isopod/protocol'

/** One of several runs of the same program. */
export interface RepeatedRun {
  readonly result: Pick<TestResult, 'verdict' | 'exitCode' | 'signal'>
  /** Whether it timed out while other executions kept it from the processor. */
  readonly starved: boolean
  /** Whether it is the exclusive repetition of a starved run. */
  readonly exclusive: boolean
}

const FROM_GOOD_TO_BAD: readonly Verdict[] = [
  'skipped',
  'passed',
  'unverified',
  'judge_error',
  'wrong_answer',
  'runtime_error',
  'timeout',
  'memory_exceeded',
  'output_exceeded',
]

/**
 * Selects the run that counts for a test: the first of the worst. Starved runs do not count if an exclusive run repeats them,
 * but the test is flaky if that run ended differently.
 *
 * @returns undefined if there are no runs
 */
export function foldRuns<Run extends RepeatedRun>(
  runs: readonly Run[],
): { readonly run: Run; readonly flaky: boolean } | undefined {
  const [first] = runs
  const counted = runs.some(({ exclusive }) => exclusive) ? runs.filter(({ starved }) => !starved) : runs
  const [run] = counted.toSorted((one, other) => badness(other) - badness(one))
  if (first === undefined || run === undefined) return undefined
  return { run, flaky: runs.some((other) => endOf(other) !== endOf(first)) }
}

function badness({ result }: RepeatedRun): number {
  return FROM_GOOD_TO_BAD.indexOf(result.verdict)
}

/** The end of a run, for comparison. Exit code and signal count only for runtime errors: a limit can race with a normal exit. */
function endOf({ result: { verdict, exitCode, signal } }: RepeatedRun): string {
  return verdict === 'runtime_error' ? `${verdict} ${exitCode} ${signal}` : verdict
}
