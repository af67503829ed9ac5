import { foldRuns, type JudgedTest, type RepeatedRun } from '@isopod/grading'
import type { TestResult } from '@isopod/protocol'

/** One run of a test case, with its verdict. */
export interface JudgedRun extends RepeatedRun {
  /** Index of its test case. */
  readonly index: number
  readonly result: TestResult
  readonly status: JudgedTest['status']
}

/** Selects the run that counts for each test case: index of the test case → run. */
export function foldByTest(runs: readonly JudgedRun[]): ReadonlyMap<number, JudgedRun> {
  const folded = new Map<number, JudgedRun>()
  for (const [index, own] of Map.groupBy(runs, (run) => run.index)) {
    const found = foldRuns(own)
    if (found === undefined) continue
    const { run, flaky } = found
    // A suspicious run stays suspicious, whichever run counts.
    const suspicious = own.find(({ result }) => result.suspicious !== undefined)?.result.suspicious
    const marks = { ...(flaky && { flaky: true as const }), ...(suspicious !== undefined && { suspicious }) }
    folded.set(index, { ...run, result: { ...run.result, ...marks } })
  }
  return folded
}

/**
 * Whether a test case with this verdict ends a job with `stopOnFirstFailure`. A judge error does not: the code can still fail
 * a later test case.
 */
export function isFailure({ verdict }: Pick<TestResult, 'verdict'>): boolean {
  return verdict !== 'passed' && verdict !== 'judge_error'
}
