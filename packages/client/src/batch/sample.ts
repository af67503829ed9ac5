import type { JobInput, Result } from '@isopod/protocol'

/** A program to judge: an attempt at a problem. */
export interface Sample {
  /** Unique in the batch, and the same when the batch is resumed; 1 to 256 characters. */
  readonly id: string
  /** The problem; 1 to 256 characters. */
  readonly problem: string
  /**
   * Must have no `idempotencyKey`, which the batch sets, and no `batchId` of another batch. Its result goes to no results queue
   * unless it names a `replyTo`.
   */
  readonly job: JobInput
}

/**
 * The outcome of a sample: `passed` or `failed`; `skipped` because of `stopWhen`; `fault`, no verdict: the platform failed it each
 * time or refused its limits, or another caller cancelled it; or `excluded`: a judge error that `judgeErrors` excludes.
 */
export type BatchOutcome = 'passed' | 'failed' | 'skipped' | 'fault' | 'excluded'

/** A sample that has ended. */
export interface SampleResult {
  readonly id: string
  readonly problem: string
  readonly outcome: BatchOutcome
  /** Only the verdict `judge_error` kept it from passing; absent otherwise. The outcome follows from `judgeErrors`. */
  readonly judgeError?: true
  /**
   * Absent if the sample was skipped before it ran, or if an earlier run of the batch judged it and the result has expired,
   * after one day.
   */
  readonly result?: Result
  /** Id of the job with the outcome. */
  readonly jobId?: string
  /** How often it was submitted again after a fault. */
  readonly retriedFaults: number
  /** Whether an earlier run of the same batch judged it. */
  readonly resumed: boolean
}
