import { IsopodError, UnavailableError } from '@isopod/protocol'

/** An idempotency key was used before for another job; nothing was enqueued. */
export class IdempotencyConflictError extends IsopodError {
  readonly code = 'idempotency_conflict'
}

/** There is neither a job nor a result with this id: it never existed, or its result has expired. */
export class UnknownJobError extends IsopodError {
  readonly code = 'unknown_job'
}

/** Bounds of the advised pause, and the advice without a prediction, in seconds. */
const MIN_RETRY_SECONDS = 1
const MAX_RETRY_SECONDS = 60
const USUAL_RETRY_SECONDS = 5

/** When jobs that were refused may be submitted again. */
export interface QueueFullAdvice {
  readonly retryAfterSeconds: number
  /** How long a job would wait; null if that cannot be predicted. */
  readonly predictedWaitSeconds: number | null
}

/** When jobs that were refused may be submitted again, also as the end of a sentence. @param predicted wait of a job, in seconds */
export function adviceFor(predicted: number | null): QueueFullAdvice & { readonly sentence: string } {
  // A tenth of the queue has moved on by then.
  const pause = predicted === null ? USUAL_RETRY_SECONDS : Math.ceil(predicted / 10)
  const retryAfterSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, pause))
  const wait = predicted === null ? '' : `a job would wait for about ${Math.ceil(predicted)} s; `
  const sentence = `${wait}submit again in ${retryAfterSeconds} s`
  return { retryAfterSeconds, predictedWaitSeconds: predicted, sentence }
}

abstract class FullError extends IsopodError implements QueueFullAdvice {
  readonly retryAfterSeconds: number
  readonly predictedWaitSeconds: number | null

  constructor(message: string, { retryAfterSeconds, predictedWaitSeconds }: QueueFullAdvice) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
    this.predictedWaitSeconds = predictedWaitSeconds
  }
}

/** As many jobs wait as the operator allows; nothing was enqueued. */
export class QueueFullError extends FullError {
  readonly code = 'queue_full'
}

/** A tenant has as many waiting jobs as it may have; nothing was enqueued. */
export class TenantQueueFullError extends FullError {
  readonly code = 'tenant_queue_full'
}

/** No worker was alive for as long as the caller wanted to wait for one. */
export class NoWorkerError extends IsopodError {
  readonly code = 'no_worker'
}

/** Another producer works on the batch of this id, or took it over from this producer. */
export class BatchBusyError extends IsopodError {
  readonly code = 'batch_busy'
}

/** A batch with the same id has other samples, or was started with other options. */
export class BatchConflictError extends IsopodError {
  readonly code = 'batch_conflict'
}

/** Redis has no memory for more jobs. Results that are taken or expire make room. */
export class StorageFullError extends IsopodError {
  readonly code = 'storage_full'
  /** When to try again, in seconds. */
  readonly retryAfterSeconds = 5

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { publicMessage: message, ...options })
  }
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

/** Options of a {@link JobDeferred}. */
export interface DeferralOptions extends ErrorOptions {
  /** How long a job may be deferred without a break, in milliseconds; then it is given up. @default no bound */
  readonly maxMs?: number
}

/** Thrown by a handler to have its job taken again, by any worker, after a delay. Does not count as a failure. */
export class JobDeferred extends Error {
  override readonly name = 'JobDeferred'
  readonly delayMs: number
  readonly maxMs: number | undefined

  constructor(delayMs: number, reason: string, options: DeferralOptions = {}) {
    super(reason, options)
    this.delayMs = delayMs
    this.maxMs = options.maxMs
  }
}

/** Turns anything thrown into an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** The error of a call after `close`, or one that `close` cuts short. */
export function closed(): UnavailableError {
  return new UnavailableError('the client is closed; connect again')
}
