import type { Status, TestResult, TestSummary, Verdict } from '@isopod/protocol'

/** Statuses of a run that took place. */
export type ExecutedStatus = Exclude<Status, 'validation_error' | 'cancelled' | 'setup_error'>

/** A test result with its weight and status. */
export interface JudgedTest {
  readonly result: Pick<TestResult, 'verdict'>
  /** Weight of the test case, 0 or more. */
  readonly weight: number
  /** Status of its run, whatever the verdict; null if it was skipped. */
  readonly status: Status | null
}

/**
 * The verdict of a run that failed, whatever its output.
 *
 * @returns undefined if the program exited with 0, so that its output decides
 */
export function failureOf(status: ExecutedStatus): Verdict | undefined {
  switch (status) {
    case 'success':
      return undefined
    case 'timeout':
    case 'memory_exceeded':
    case 'output_exceeded':
      return status
    case 'execution_error':
    case 'compile_error':
      return 'runtime_error'
    default:
      return status satisfies never
  }
}

/**
 * Summarizes the tests of a job. The score is the weighted share of passed tests, or the plain share if all weights are 0.
 */
export function summarize(tests: readonly JudgedTest[]): TestSummary {
  const passed = tests.filter(({ result }) => result.verdict === 'passed')
  const [part, whole] = [weightOf(passed), weightOf(tests)]
  const judgeErrors = tests.filter(({ result }) => result.verdict === 'judge_error').length
  const bad = tests.find(({ status }) => status !== null && status !== 'success')
  return {
    passed: passed.length,
    total: tests.length,
    // A sum of fractions is not always exactly 1.
    score: passed.length === tests.length ? 1 : whole > 0 ? part / whole : passed.length / tests.length,
    status: bad?.status ?? 'success',
    ...(judgeErrors > 0 && { judgeErrors }),
  }
}

function weightOf(tests: readonly JudgedTest[]): number {
  return tests.reduce((sum, { weight }) => sum + weight, 0)
}
