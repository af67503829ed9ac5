import type { TestResult, Verdict } from '@isopod/protocol'
import { foldByTest, type JudgedRun } from './judged-run.ts'

/** Called with index and result of a test case once its runs are judged, and again if a later run changes the result. */
export type OnVerdict = (index: number, result: TestResult) => void

/** Wraps a listener so that it is called once for each verdict of a test case. */
export function onceForEachVerdict(listener: OnVerdict): OnVerdict {
  const sent = new Map<number, Verdict>()
  return (index, result) => {
    if (sent.get(index) === result.verdict) return
    sent.set(index, result.verdict)
    listener(index, result)
  }
}

/** Reports the verdict of one test case, unless one of its runs is to be repeated. */
export function reportTest(
  index: number,
  runs: readonly JudgedRun[],
  onVerdict: OnVerdict | undefined,
): void {
  if (onVerdict === undefined) return
  const own = runs.filter((run) => run.index === index)
  if (own.some(({ starved }) => starved)) return
  const folded = foldByTest(own).get(index)
  if (folded !== undefined) onVerdict(index, folded.result)
}
