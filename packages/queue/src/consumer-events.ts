import type { Result } from '@isopod/protocol'
import type { Publication } from './publisher.ts'
import type { QuarantineCounts } from './quarantine.ts'

/** What happens at a consumer, for metrics and logs. The list is closed. */
export type ConsumerEvent =
  /** A job was taken, this long after it was enqueued. */
  | { readonly type: 'taken'; readonly id: string; readonly attempt: number; readonly waitMs: number }
  /** A publication ended; `failed` is one try that Redis did not take, and is followed by another. */
  | {
      readonly type: 'published'
      readonly result: Result
      readonly outcome: Publication | 'failed'
      /** Milliseconds since the result was there to be published. */
      readonly ms: number
    }
  /** A job had its result already: its earlier start had published it before it ended. Nothing ran. */
  | { readonly type: 'alreadyPublished'; readonly id: string }
  /** The platform failed a job, and it will be tried again. */
  | { readonly type: 'retried'; readonly id: string; readonly error: Error }
  /** A job went back to the queue because this worker stops taking jobs. */
  | { readonly type: 'handedBack'; readonly id: string }
  /** Some worker vanished with this job, which is waiting again. */
  | { readonly type: 'stalled'; readonly id: string }
  /** Something that is no job was taken out of the queue; how much it was so far, since the queue is there. */
  | { readonly type: 'quarantined'; readonly counts: QuarantineCounts }
  /** These jobs belong to this worker no more; their handlers were aborted. */
  | { readonly type: 'lockRenewalFailed'; readonly ids: readonly string[] }
  /** An audit entry could not be appended to the stream; the log has it. */
  | { readonly type: 'auditDropped' }
  /** So many events of a running job could not be told; its result has all. */
  | { readonly type: 'liveEventsDropped'; readonly events: number }
  | { readonly type: 'redisUp' }
  | { readonly type: 'redisDown' }
  /** Trouble that the consumer rides out by itself. */
  | { readonly type: 'error'; readonly error: Error }

/** Takes events; what it throws is ignored. */
export type Observe = (event: ConsumerEvent) => void

/** Wraps an observer so that its own failures never touch a job. */
export function guardedObserver(observe: Observe | undefined): Observe {
  return (event) => {
    try {
      observe?.(event)
    } catch {
      // Measuring must not change what is measured.
    }
  }
}
