import type { Job, Result } from '@isopod/protocol'
import type { LiveOutput } from './live/live-output.ts'

/** One start of one job, as a worker's handler gets it. */
export interface Delivery {
  readonly id: string
  readonly job: Job
  /** Which start this is, from 1; it fences the publication of the result. */
  readonly attempt: number
  /** When the job was enqueued, in epoch milliseconds. */
  readonly enqueuedAt: number
  /** When this worker took it, in epoch milliseconds. */
  readonly takenAt: number
  /** How often a worker vanished with this job. */
  readonly stalls: number
  /** How often the platform failed this job. */
  readonly faults: number
  /** Takes what is to be told while it runs; undefined for a job that does not ask for it. */
  readonly live?: LiveOutput
}

/**
 * Runs a job and resolves with the result to publish.
 *
 * A `RetryableError` asks for another try after a pause; any other error is final, and becomes the result that
 * {@link GiveUp} makes. When the signal aborts, its reason is a `JobInterrupted`: for `cancelled`, resolve with a
 * cancelled result; for `shutdown` and `lease-lost`, stop and throw, nothing is published. A handler that throws a
 * `JobInterrupted` of its own gets the same for its job: `shutdown` and `crowded` hand it back to the queue.
 */
export type Handle = (delivery: Delivery, signal: AbortSignal) => Promise<Result>

/** Makes the result of a job that will not be tried again, or that is not valid (`job` is then missing). */
export type GiveUp = (
  delivery: Pick<Delivery, 'id' | 'attempt' | 'enqueuedAt'> & { readonly job?: Job },
  cause: Error,
) => Result
