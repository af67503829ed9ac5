import type { JudgedRun } from './judged-run.ts'

/** Runs that are to be repeated without other executions beside them. */
export interface RetryRequest {
  /** Wall-clock limit of each run, in their order, in milliseconds. */
  readonly timeoutsMs: readonly number[]
  /** What containers and compile runs may take on top, in milliseconds. */
  readonly extraMs: number
}

/** Repeats runs that timed out while other executions kept them from the processor. */
export interface ContentionRetry {
  /** Whether other executions of this worker ran within the last so many milliseconds. */
  wasOvercommitted(ms: number): boolean
  /**
   * Releases the job's share of the host, waits until nothing else runs, and calls `run` for the first `count` runs of the
   * request: as many as the worker's allowance covers. Call it at most once per job.
   *
   * @returns undefined if the worker's bounds do not allow the runs, or end them early
   */
  runExclusively<T>(
    request: RetryRequest,
    run: (count: number, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined>
  /** Acquires the share again that `runExclusively` released. */
  resume(): Promise<void>
}

/** The runs of a job that are due again. */
export interface DueRuns<Run> {
  /** To be run exclusively: one run of each test case with a starved run. */
  readonly starved: readonly Run[]
  /** To be run beside others if all starved ones pass now: what was skipped behind them. */
  readonly skipped: readonly Run[]
}

/**
 * Selects the runs that are due again: one of each test case with a starved run. Where the first failure stops the rest, only
 * the first test case that failed, if it was starved, and then everything that was skipped behind it.
 */
export function dueRuns<Run extends { readonly index: number }>(
  planned: readonly Run[],
  judged: readonly JudgedRun[],
  stopOnFirstFailure: boolean,
): DueRuns<Run> {
  const starved = new Set(judged.filter((run) => run.starved).map(({ index }) => index))
  const once = planned.filter(
    ({ index }, position) => starved.has(index) && planned[position - 1]?.index !== index,
  )
  if (!stopOnFirstFailure) return { starved: once, skipped: [] }
  const failed = judged.filter(({ result }) => result.verdict !== 'passed').map(({ index }) => index)
  const first = Math.min(...failed)
  if (!starved.has(first)) return { starved: [], skipped: [] }
  return {
    starved: once.filter(({ index }) => index === first),
    skipped: planned.filter(({ index }) => index > first),
  }
}
