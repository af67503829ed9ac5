import { IsopodError } from '@isopod/protocol'

/** An idempotency key was used before, for a job that differs; nothing was enqueued. */
export class IdempotencyConflictError extends IsopodError {
  readonly code = 'idempotency_conflict'
}

/** There is neither a job nor a result of this id: it never existed, or its result has expired. */
export class UnknownJobError extends IsopodError {
  readonly code = 'unknown_job'
}

/** Another producer works on the batch of this id, or took it over from this one. */
export class BatchBusyError extends IsopodError {
  readonly code = 'batch_busy'
}

/** Under this id another batch is known: one with other samples, or run in another way. */
export class BatchConflictError extends IsopodError {
  readonly code = 'batch_conflict'
}

/** Why a running job is told to stop. */
export type InterruptionCause = 'cancelled' | 'shutdown' | 'crowded' | 'lease-lost'

/** The `reason` of the signal that a job's handler gets. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted'
  override readonly cause: InterruptionCause

  constructor(cause: InterruptionCause) {
    super(
      {
        cancelled: 'the job was cancelled',
        shutdown: 'the worker is shutting down',
        crowded: 'the worker holds more jobs than it has room for',
        'lease-lost': 'the worker no longer owns the job',
      }[cause],
    )
    this.cause = cause
  }
}

/** Turns anything thrown into an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
