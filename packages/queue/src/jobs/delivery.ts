import type { Job, Result } from '@isopod/protocol'
import type { LiveOutput } from '../live/live-output.ts'

/** One start of a job, for the worker's handler. */
export interface Delivery {
  readonly id: string
  readonly job: Job
  /** Number of this start, from 1; it fences the publication of the result. */
  readonly attempt: number
  /** When the job was enqueued, in epoch milliseconds. */
  readonly enqueuedAt: number
  /** When this worker took it, in epoch milliseconds. */
  readonly takenAt: number
  /** How often a worker lost the job: it died, or did not reach Redis. */
  readonly stalls: number
  /** How often the platform failed the job. */
  readonly faults: number
  /** Takes live events; undefined unless the job asks for them. */
  readonly live?: LiveOutput
}

/**
 * Runs a job and resolves with the result to publish.
 *
 * A `RetryableError` asks for a retry after a pause, a `JobDeferred` for another start that does not count as a failure. Any other
 * error is final, and {@link GiveUp} makes the result. When the signal aborts, its reason is a `JobInterrupted`: for `cancelled`,
 * resolve with a cancelled result; for `shutdown` and `lease-lost`, stop and throw, nothing is published. A handler that throws a
 * `JobInterrupted` itself has the same effect: `shutdown` requeues the job.
 */
export type Handle = (delivery: Delivery, signal: AbortSignal) => Promise<Result>

/** Makes the result of a job that is not retried, or that is not valid; `job` is then missing. */
export type GiveUp = (
  delivery: Pick<Delivery, 'id' | 'attempt' | 'enqueuedAt'> & { readonly job?: Job },
  cause: Error,
) => Result
