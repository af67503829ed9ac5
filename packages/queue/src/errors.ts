import { IsopodError } from '@isopod/protocol'

/** An idempotency key was used before for another job; nothing was enqueued. */
export class IdempotencyConflictError extends IsopodError {
  readonly code = 'idempotency_conflict'
}

/** There is neither a job nor a result with this id: it never existed, or its result has expired. */
export class UnknownJobError extends IsopodError {
  readonly code = 'unknown_job'
}

/** Another producer works on the batch of this id, or took it over from this producer. */
export class BatchBusyError extends IsopodError {
  readonly code = 'batch_busy'
}

/** A batch with the same id has other samples, or was started with other options. */
export class BatchConflictError extends IsopodError {
  readonly code = 'batch_conflict'
}

/** Why a running job is interrupted. */
export type InterruptionCause = 'cancelled' | 'shutdown' | 'lease-lost'

/** The abort reason of a job handler's signal. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted'
  override readonly cause: InterruptionCause

  constructor(cause: InterruptionCause) {
    super(
      {
        cancelled: 'the job was cancelled',
        shutdown: 'the worker is shutting down',
        'lease-lost': 'the worker no longer owns the job',
      }[cause],
    )
    this.cause = cause
  }
}

/** Thrown by a handler to have its job taken again, by any worker, after a delay. Does not count as a failure. */
export class JobDeferred extends Error {
  override readonly name = 'JobDeferred'
  readonly delayMs: number

  constructor(delayMs: number, reason: string) {
    super(reason)
    this.delayMs = delayMs
  }
}

/** Turns anything thrown into an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
