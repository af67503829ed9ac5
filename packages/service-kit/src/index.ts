export {
  flagVariable,
  logLevelVariable,
  numberVariable,
  policyVariable,
  QUEUE_VARIABLES,
  wordVariable,
} from './env-schemas.ts'
export { describeFailure, errorCode, type Failure, UsageError } from './error-exit.ts'
export { httpStatusOf } from './error-status.ts'
export { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts'
export { healthAnswer } from './health-routes.ts'
export {
  type HealthServer,
  type HealthServerOptions,
  type Readiness,
  startHealthServer,
} from './health-server.ts'
export { type HttpAddress, parseHttpAddress } from './http-address.ts'
export { type Component, Lifecycle, type LifecycleOptions } from './lifecycle.ts'
export { isLoopback } from './loopback.ts'
export { type QueueSettings, readQueueSettings } from './queue-settings.ts'
export { type Environment, type EnvironmentOptions, readEnvironment } from './read-environment.ts'
export { onStopSignal, runService, serviceLogger } from './service.ts'
