import type { Result } from '@isopod/protocol'
import type { JobDeferred } from './errors.ts'
import type { QuarantineCounts } from './redis/quarantine.ts'
import type { DroppedResults } from './results/untaken-results.ts'

/**
 * How a publication ended: `ok`, the result is now the job's result; `duplicate`, the job had one already; `fenced`, a later start
 * of the job took over, or the job is gone. Only `ok` changes anything.
 */
export type Publication = 'ok' | 'duplicate' | 'fenced'

/** Events of a consumer, for metrics and logs. The list is closed. */
export type ConsumerEvent =
  /** A job was taken; `waitMs` since it was enqueued. */
  | { readonly type: 'taken'; readonly id: string; readonly attempt: number; readonly waitMs: number }
  /** A publication ended. `failed`: Redis did not accept it; another attempt follows. */
  | {
      readonly type: 'published'
      readonly result: Result
      readonly outcome: Publication | 'failed'
      /** Since the first attempt, in milliseconds. */
      readonly ms: number
    }
  /** The job already had a result: an earlier start published it and was not completed. Nothing ran. */
  | { readonly type: 'alreadyPublished'; readonly id: string }
  /** The platform failed a job, which is retried. */
  | { readonly type: 'retried'; readonly id: string; readonly error: Error }
  /** A job was deferred, without using up an attempt. */
  | { readonly type: 'deferred'; readonly id: string; readonly error: JobDeferred }
  /** A job was requeued because this worker stops taking jobs. */
  | { readonly type: 'requeued'; readonly id: string }
  /** A worker lost this job, which waits again: it died, or did not reach Redis. */
  | { readonly type: 'stalled'; readonly id: string }
  /** The quarantine has new entries; these are its counts. */
  | { readonly type: 'quarantined'; readonly counts: QuarantineCounts }
  /** This worker no longer owns these jobs; their handlers were aborted. */
  | { readonly type: 'lockRenewalFailed'; readonly ids: readonly string[] }
  /** An audit entry is missing in the stream; the log has it. */
  | { readonly type: 'auditDropped' }
  /** Results that nobody took were dropped, the oldest first, because there were too many or they took too much memory. */
  | { readonly type: 'resultsDropped'; readonly dropped: DroppedResults }
  /** Live events of a running job were dropped; its result has all output. */
  | { readonly type: 'liveEventsDropped'; readonly events: number }
  | { readonly type: 'redisUp' }
  | { readonly type: 'redisDown' }
  /** Redis is at its `maxmemory`, so no job is taken; and: it has room again. */
  | { readonly type: 'redisFull' }
  | { readonly type: 'redisRoom' }
  /** An error that the consumer handles by itself. */
  | { readonly type: 'error'; readonly error: Error }

/** Receives events; errors that it throws are ignored. */
export type Observe = (event: ConsumerEvent) => void

/** Wraps an observer so that its errors never affect a job. */
export function guardedObserver(observe: Observe | undefined): Observe {
  return (event) => {
    try {
      observe?.(event)
    } catch {
      // An observer must not change what it observes.
    }
  }
}
