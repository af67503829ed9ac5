import type { TestResult, Verdict } from '@isopod/protocol'
import type { LiveOutput } from '@isopod/queue'
import { foldTests, type JudgedRun } from './second-run.ts'

/** Takes the result of a test, counted from 0, once its runs are judged; again if a later run changes it. */
export type OnVerdict = (index: number, result: TestResult) => void

/** Tells each verdict once. @returns undefined if nobody listens */
export function liveVerdicts(live: LiveOutput | undefined): OnVerdict | undefined {
  if (live === undefined) return undefined
  const told = new Map<number, Verdict>()
  return (index, { name, verdict }) => {
    if (told.get(index) === verdict) return
    told.set(index, verdict)
    live.test(index, name, verdict)
  }
}

/** Tells what the runs of one test came to, unless one of them is to be made again. */
export function tellTest(index: number, runs: readonly JudgedRun[], onVerdict: OnVerdict | undefined): void {
  if (onVerdict === undefined) return
  const own = runs.filter((run) => run.index === index)
  if (own.some(({ starved }) => starved)) return
  const folded = foldTests(own).get(index)
  if (folded !== undefined) onVerdict(index, folded.result)
}
