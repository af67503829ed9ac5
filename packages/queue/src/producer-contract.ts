import type { JobEvent, LanguageSummary, Result, StoredResult } from '@isopod/protocol'
import type { BatchClaim, BatchState } from './batches/batch-state.ts'
import type { CancelOutcome } from './jobs/cancel.ts'
import type { Enqueued, Entry } from './jobs/enqueue.ts'
import type { JobState } from './jobs/job-state.ts'
import type { QueueStats } from './jobs/queue-stats.ts'
import type { EventsOptions } from './live/read-events.ts'
import type { ReadOptions } from './results/read-result.ts'
import type { WaitForResultOptions } from './results/result-waiters.ts'
import type { ResultsConsumer, ResultsConsumerOptions } from './results/results-consumer.ts'
import type { CancelCounts } from './search/cancel-jobs.ts'
import type { JobFilter } from './search/job-filter.ts'
import type { PageOptions, QueuedJobs } from './search/list-jobs.ts'
import type { LiveWorkers } from './workers/worker-slots.ts'

/** The producer's side of the queue. Ids and jobs must be valid; the client package checks them. */
export interface Producer {
  /**
   * Enqueues jobs in order, 500 per round trip.
   *
   * @returns for each whether it already existed
   * @throws {IdempotencyConflictError} naming the index in the list; nothing was enqueued
   * @throws {QueueFullError} if the operator's maximum of waiting jobs would be exceeded; nothing was enqueued
   * @throws {StorageFullError} if Redis is nearly full; nothing was enqueued
   */
  enqueue(entries: readonly Entry[]): Promise<Enqueued[]>
  /** Cancels a job that waits or runs. */
  cancel(id: string): Promise<CancelOutcome>
  /** Cancels all matching jobs that wait or run, in bounded steps. */
  cancelJobs(filter: JobFilter): Promise<CancelCounts>
  /**
   * A page of the matching jobs: those that wait in the order in which they will run, then delayed and running ones.
   *
   * @throws {ConfigError} if the cursor is not that of a page
   */
  listJobs(filter: JobFilter, page: PageOptions): Promise<QueuedJobs>
  /** The state of the job. */
  jobState(id: string): Promise<JobState>
  /** The job's result; undefined if there is none, or if it has expired. */
  storedResult(id: string, options?: ReadOptions): Promise<StoredResult | undefined>
  /** Resolves with the job's result; rejects with the signal's reason, or if the job is unknown. */
  waitForResult(id: string, options?: WaitForResultOptions): Promise<StoredResult>
  /**
   * The events of a job. The last one is `finished`, the only event of a job that does not ask for events.
   *
   * @throws {ConfigError} if `after` is not the id of an event
   */
  events(id: string, options?: EventsOptions): AsyncIterable<JobEvent>
  /**
   * Takes a batch for this producer alone, with its state.
   *
   * @throws {BatchBusyError} if another producer works on it
   * @throws {BatchConflictError} if it was started with other rules
   */
  takeBatch(claim: BatchClaim): Promise<BatchState>
  /** Counts jobs by state. */
  stats(): Promise<QueueStats>
  /** Counts live workers. */
  liveWorkers(): Promise<LiveWorkers>
  /** Languages that workers offer; undefined if no worker has ever connected. */
  catalogue(): Promise<LanguageSummary[] | undefined>
  /** Consumes a results queue durably; a result is acknowledged only after the handler has resolved. */
  results(
    replyTo: string,
    handler: (result: Result) => Promise<void>,
    options?: ResultsConsumerOptions,
  ): ResultsConsumer
  /** Stops the results consumers, waits for running handlers, and disconnects. A second call gets the same promise. */
  close(): Promise<void>
}
