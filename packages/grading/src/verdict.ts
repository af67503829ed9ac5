import type { Status, TestResult, TestSummary, Verdict } from '@isopod/protocol'

/** The statuses that a program's run can lead to; of a run that never was there is no verdict. */
export type RunStatus = Exclude<Status, 'validation_error' | 'cancelled' | 'setup_error'>

/** One test with what its result does not tell. */
export interface JudgedTest {
  readonly result: Pick<TestResult, 'verdict'>
  /** As the job has it, 0 or more. */
  readonly weight: number
  /** How its run ended, right answer or not; null if it was skipped. */
  readonly status: Status | null
}

/**
 * The verdict of a run that did not end well, whatever it was to answer.
 *
 * @returns undefined if it ended with exit code 0, which is where judging begins
 */
export function failureOf(status: RunStatus): Verdict | undefined {
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
 * What the tests of a job came to. The score is the weighted share of those that passed, and where all weights are 0
 * the plain share.
 */
export function summarize(tests: readonly JudgedTest[]): TestSummary {
  const passed = tests.filter(({ result }) => result.verdict === 'passed')
  const [part, whole] = [weightOf(passed), weightOf(tests)]
  const bad = tests.find(({ status }) => status !== null && status !== 'success')
  return {
    passed: passed.length,
    total: tests.length,
    // All of it is exactly 1, which a sum of fractions need not be.
    score: passed.length === tests.length ? 1 : whole > 0 ? part / whole : passed.length / tests.length,
    status: bad?.status ?? 'success',
  }
}

function weightOf(tests: readonly JudgedTest[]): number {
  return tests.reduce((sum, { weight }) => sum + weight, 0)
}
