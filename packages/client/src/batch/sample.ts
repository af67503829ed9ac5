import type { JobInput, Result } from '@isopod/protocol'

/** A program to judge: an attempt at a problem. */
export interface Sample {
  /** Unique in the batch, and the same when the batch is resumed; 1 to 256 characters. */
  readonly id: string
  /** The problem; 1 to 256 characters. */
  readonly problem: string
  /**
   * Without an `idempotencyKey`, which the batch makes, and without another batch's `batchId`. Unless it names a `replyTo`, its
   * result lies in no results queue.
   */
  readonly job: JobInput
}

/**
 * What became of a sample: a verdict (`passed`, `failed`), none because the batch's `stopWhen` made it needless (`skipped`), or
 * none because the platform failed it each time or refused what it asks for, or somebody else cancelled it (`fault`).
 */
export type BatchOutcome = 'passed' | 'failed' | 'skipped' | 'fault'

/** The outcome of a sample. */
export interface SampleResult {
  readonly id: string
  readonly problem: string
  readonly outcome: BatchOutcome
  /**
   * Absent if the sample was skipped before it ran, or if an earlier run of the batch judged it and its result has expired,
   * one day after it was made.
   */
  readonly result?: Result
  /** Of the job that the outcome is from. */
  readonly jobId?: string
  /** How often it was submitted again after a result that said nothing about the program. */
  readonly retriedFaults: number
  /** Whether an earlier run of the same batch judged it. */
  readonly resumed: boolean
}
