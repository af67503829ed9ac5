export {
  ConfigError,
  type FieldProblem,
  InvalidJobError,
  IsopodError,
  type Job,
  type JobEvent,
  type JobFile,
  type JobInput,
  knownStatus,
  type LanguageSummary,
  type LimitsRequest,
  type Result,
  type Status,
  UnavailableError,
} from '@isopod/protocol'
export {
  BatchBusyError,
  BatchConflictError,
  type CancelCounts,
  type CancelOutcome,
  type DeadResult,
  type DeadResults,
  type EventsOptions,
  IdempotencyConflictError,
  type JobFilter,
  type JobState,
  NoWorkerError,
  newJobId,
  openDeadResults,
  openQuarantine,
  type Quarantine,
  type QuarantineEntry,
  type QueuedJob,
  type QueuedJobs,
  QueueFullError,
  type QueueStats,
  type ReadOptions,
  type ResultsConsumer,
  StorageFullError,
  TenantQueueFullError,
  UnknownJobError,
} from '@isopod/queue'
export type { Batch, BatchSummary } from './batch/batch.ts'
export { batchOutcome } from './batch/batch-outcome.ts'
export { SIGNATURE_HEADER, type VerifyOptions, verifyCallback } from './batch/callback.ts'
export type { BatchOptions, CallbackOptions, JudgeErrors } from './batch/options.ts'
export { type Estimate, meanPassAtK, type ProblemTally, passAtK } from './batch/pass-at-k.ts'
export type { StopWhen } from './batch/problem.ts'
export type { Progress } from './batch/progress.ts'
export type { BatchOutcome, Sample, SampleResult } from './batch/sample.ts'
export type { Counts, PassAt, Totals } from './batch/tally.ts'
export { connect } from './client.ts'
export type { ConsumeOptions } from './consume-options.ts'
export {
  checkDockerAvailable,
  type ExecuteOptions,
  type ExecutionResult,
  executeCode,
  executeWithLimits,
  type IsolatedResult,
  type LimitedResult,
  sandboxProcessIsolation,
} from './documented/execute.ts'
export { ExecutionLimits, type ExecutionLimitsOptions } from './documented/execution-limits.ts'
export { type MonitoredUsage, ResourceMonitor } from './documented/resource-monitor.ts'
export type {
  ConnectOptions,
  IsopodClient,
  JobsOptions,
  RunOptions,
  SubmitManyOptions,
  SubmitOptions,
  WaitOptions,
} from './isopod-client.ts'
export type { EventListener } from './listen.ts'
