export {
  ConfigError,
  type FieldProblem,
  InvalidJobError,
  IsopodError,
  type Job,
  type JobFile,
  type JobInput,
  type LanguageSummary,
  type LimitsRequest,
  type Result,
  type Status,
  UnavailableError,
} from '@isopod/protocol'
export {
  type CancelOutcome,
  IdempotencyConflictError,
  type ResultsConsumer,
  UnknownJobError,
} from '@isopod/queue'
export { type ConnectOptions, type ConsumeOptions, connect, type IsopodClient } from './client.ts'
