export type { AuditEntry } from './audit-stream.ts'
export type { BatchOptions, BatchState } from './batch-state.ts'
export type { CancelOutcome } from './cancel.ts'
export { type Consumer, type ConsumerOptions, openConsumer } from './consumer.ts'
export type { ConsumerEvent, Observe } from './consumer-events.ts'
export type { Delivery, GiveUp, Handle } from './delivery.ts'
export type { Enqueued, Entry } from './enqueue.ts'
export {
  BatchBusyError,
  BatchConflictError,
  IdempotencyConflictError,
  type InterruptionCause,
  JobInterrupted,
  UnknownJobError,
} from './errors.ts'
export { jobFingerprint, keyedJobId, newJobId } from './job-id.ts'
export type { JobState } from './job-state.ts'
export { type JobsBoard, openJobsBoard } from './jobs-board.ts'
export { NO_RESULTS_QUEUE } from './keys.ts'
export type { LiveOutput, OutputStream } from './live/live-output.ts'
export type { EventsOptions } from './live/read-events.ts'
export { type DeploymentRedis, openDeploymentRedis } from './open-redis.ts'
export { PLATFORM_TRIES, type QueueOptions } from './options.ts'
export { openProducer, type Producer } from './producer.ts'
export type { Publication } from './publisher.ts'
export { QUARANTINE_REASONS, type QuarantineCounts } from './quarantine.ts'
export type { QueueStats } from './queue-stats.ts'
export type { CacheEntry, Flight, ResultCache } from './result-cache.ts'
export type { ResultsConsumer, ResultsOptions } from './results-consumer.ts'
export type { SampleRecord } from './sample-record.ts'
export type { Taking } from './taking.ts'
export { type UnrunJob, unrunResult } from './unrun-result.ts'
export {
  type BusyWebhooks,
  type ClaimedWebhook,
  type ListedWebhook,
  openWebhookQueue,
  type Webhook,
  WebhookQueue,
} from './webhooks/webhook-queue.ts'
