export type { BatchClaim, BatchState } from './batches/batch-state.ts'
export type { SampleRecord } from './batches/sample-record.ts'
export type { CacheEntry, ResultCache, Singleflight } from './cache/result-cache.ts'
export { openConsumer } from './consumer.ts'
export type { Consumer, ConsumerOptions } from './consumer-contract.ts'
export type { ConsumerEvent, Observe, Publication } from './consumer-events.ts'
export {
  BatchBusyError,
  BatchConflictError,
  type DeferralOptions,
  IdempotencyConflictError,
  type InterruptionCause,
  JobDeferred,
  JobInterrupted,
  NoWorkerError,
  QueueFullError,
  StorageFullError,
  TenantQueueFullError,
  UnknownJobError,
} from './errors.ts'
export type { CancelOutcome } from './jobs/cancel.ts'
export type { Delivery, GiveUp, Handle } from './jobs/delivery.ts'
export type { Enqueued, Entry } from './jobs/enqueue.ts'
export { isNewJobId, jobFingerprint, keyedJobId, newJobId } from './jobs/job-id.ts'
export type { JobState } from './jobs/job-state.ts'
export { type JobsBoard, openJobsBoard } from './jobs/jobs-board.ts'
export type { QueueStats } from './jobs/queue-stats.ts'
export { type UnexecutedJob, unexecutedJobResult } from './jobs/unexecuted-result.ts'
export type { JobWorkerOptions } from './jobs/worker-options.ts'
export type { LiveOutput, OutputStream } from './live/live-output.ts'
export type { EventsOptions } from './live/read-events.ts'
export { openProducer } from './producer.ts'
export type { Producer } from './producer-contract.ts'
export { type DeploymentRedis, openDeploymentRedis } from './redis/deployment-redis.ts'
export { NO_RESULTS_QUEUE } from './redis/keys.ts'
export { QUARANTINE_REASONS, type QuarantineCounts } from './redis/quarantine.ts'
export { openQuarantine, type Quarantine, type QuarantineEntry } from './redis/quarantine-list.ts'
export { PLATFORM_TRIES, type QueueOptions } from './redis/queue-options.ts'
export type { RedisClock } from './redis/redis-clock.ts'
export { type DeadResult, DeadResults, openDeadResults } from './results/dead-results.ts'
export type { ReadOptions } from './results/read-result.ts'
export type { WaitForResultOptions } from './results/result-waiters.ts'
export type { ResultsConsumer, ResultsConsumerOptions } from './results/results-consumer.ts'
export type { DroppedResults, Untaken, UntakenMaxima } from './results/untaken-results.ts'
export type { CancelCounts } from './search/cancel-jobs.ts'
export type { JobFilter } from './search/job-filter.ts'
export type { PageOptions, QueuedJob, QueuedJobs } from './search/list-jobs.ts'
export { OTHER_TENANTS, type TenantRule, type TenantRules } from './tenants/tenant-rules.ts'
export {
  type BusyWebhooks,
  type ClaimedWebhook,
  type ListedWebhook,
  openWebhookQueue,
  type Webhook,
  WebhookQueue,
} from './webhooks/webhook-queue.ts'
export type { AuditEntry } from './workers/audit-stream.ts'
export type { LiveWorkers } from './workers/worker-slots.ts'
