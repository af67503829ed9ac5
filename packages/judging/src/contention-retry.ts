import { isFailure, type JudgedRun } from './judged-run.ts'

/** Runs to repeat while no other execution runs. */
export interface RetryRequest {
  /** Wall-clock limit of each run, in their order, in milliseconds. */
  readonly timeoutsMs: readonly number[]
  /** Additional time for containers and compile runs, in milliseconds. */
  readonly extraMs: number
}

/** Repeats runs that timed out while other executions kept them from the processor. */
export interface ContentionRetry {
  /** Whether two or more executions of this worker ran at the same time within the last `ms` milliseconds. */
  wasOvercommitted(ms: number): boolean
  /**
   * Releases the job's share of the host, waits until nothing else runs, and calls `run` for the first `count` runs of the
   * request: as many as the worker's allowance covers. Call it at most once per job for its program, and once for each checker.
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

/** The runs of a job to make again. */
export interface DueRuns<Run> {
  /** To make exclusively: one run of each test case with a starved run. */
  readonly starved: readonly Run[]
  /** To make if all starved runs pass now: the runs that were skipped after them. */
  readonly skipped: readonly Run[]
}

/**
 * Selects the runs to make again: one of each test case with a starved run. If the first failure stops the job, these are
 * only the first failed test case, if it was starved, and then all that were skipped after it.
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
  const failed = judged.filter(({ result }) => isFailure(result)).map(({ index }) => index)
  const first = Math.min(...failed)
  if (!starved.has(first)) return { starved: [], skipped: [] }
  return {
    starved: once.filter(({ index }) => index === first),
    skipped: planned.filter(({ index }) => index > first),
  }
}
