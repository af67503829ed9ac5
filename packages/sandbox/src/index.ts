export type { BatchReuseOptions } from './acquire/batch/batch-containers.ts'
export type { ContainerSource } from './acquire/container-source.ts'
export type { PoolSettings } from './acquire/pool/open-pool.ts'
export { ContainerSandbox, type ContainerSandboxOptions } from './container-sandbox.ts'
export { maxStartupMs, wasStarved } from './contract/contention.ts'
export type { Execution, RunInput } from './contract/execution.ts'
export type { ExecutionOptions, OnConnection, OnOutput, OnRun } from './contract/execution-options.ts'
export { type Library, makeLibrary } from './contract/library.ts'
export { mergeOutcomes, mergeRepeats } from './contract/merge-outcomes.ts'
export type {
  ContainerFacts,
  ContainerIsolation,
  ContainerOrigin,
  Outcome,
  RunOutcome,
  RunStatus,
  StreamOutput,
} from './contract/outcome.ts'
export { MAX_CHANNEL_BYTES, MAX_PIPED_BYTES, openPipe, type PipeEnd, type Sink } from './contract/pipe.ts'
export { TimeBudget } from './contract/time-budget.ts'
export { type ContainerPlan, containerOptions, type DiskReadLimit } from './docker/container-options.ts'
export type { DockerDriverOptions } from './docker/docker-driver.ts'
export type { EngineFacts } from './docker/engine/engine-facts.ts'
export { LABELS } from './docker/labels.ts'
export { openDockerDriver } from './docker/open-docker-driver.ts'
export { CombinedDriver } from './driver/combined-driver.ts'
export { WORKSPACE } from './driver/confinement.ts'
export type { Container, ContainerEnd, HostLimits, HostMemory, NewContainer } from './driver/container.ts'
export type { AliveOwners, Driver, DriverFacts, Images, SeccompFacts } from './driver/driver.ts'
export {
  DriverFullError,
  DriverUnavailableError,
  ImageFaultError,
  ImageMissingError,
} from './driver/faults.ts'
export type { ContainerSubject, DriverCall, DriverOperation, SandboxEvent } from './driver/sandbox-events.ts'
export { halvesOf, type UserRange } from './driver/users.ts'
export { type DockerSandboxOptions, openDockerSandbox } from './open-docker-sandbox.ts'
export { clearSandboxes } from './process/clear-sandboxes.ts'
export { HOST_CHECKS, type HostCheck, type HostCheckOptions } from './process/host-checks.ts'
export { openProcessDriver } from './process/open-process-driver.ts'
export type { ProcessDriverOptions } from './process/process-driver.ts'
export { type NewRoot, RootStore, type StoredRoot } from './process/root-store.ts'
export { referenceFile, rootDirectory } from './process/roots.ts'
export { jobTimedOut, outputExceeded } from './program/classify-run.ts'
export { ARGUMENTS_PLACEHOLDER } from './program/environment.ts'
export { MAX_FILE_BYTES, workspaceProblems } from './program/workspace.ts'
export type { Sandbox, SandboxCounts } from './sandbox.ts'
export { type LanguageProfile, loadLanguageProfiles } from './seccomp/language-profiles.ts'
export { loadSeccompProfile, seccompDecisions } from './seccomp/load.ts'
export { NEEDED_CALLS } from './seccomp/needed-calls.ts'
export {
  type BlockedGroup,
  type CallGroup,
  type SeccompDecisions,
  type SeccompProfile,
  seccompProfile,
} from './seccomp/profile.ts'
export { isContained, listFindings, type ProbeFinding, type SelfTestReport } from './self-test/finding.ts'
