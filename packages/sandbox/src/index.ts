export type { BatchOptions } from './batch/batch-options.ts'
export type { Container, ContainerEnd, ContainerSource, OutsideLimits, OutsideMemory } from './container.ts'
export { maxStartupMs, wasStarved } from './contention.ts'
export { type ContainerPlan, containerOptions, type DiskReadLimit } from './docker/container-options.ts'
export type { DockerSandbox, DockerSandboxOptions } from './docker/docker-sandbox.ts'
export { type EngineCall, type EngineOperation, EngineUnreachableError } from './docker/engine.ts'
export type { EngineFacts } from './docker/engine-facts.ts'
export { LABELS } from './docker/labels.ts'
export { openDockerSandbox } from './docker/open-docker-sandbox.ts'
export type { PoolSettings } from './docker/open-pool.ts'
export type { ContainerOf, SandboxEvent } from './docker/sandbox-events.ts'
export { type LanguageProfile, loadLanguageProfiles } from './docker/seccomp/language-profiles.ts'
export { loadSeccompProfile, seccompDecisions } from './docker/seccomp/load.ts'
export { NEEDED_CALLS } from './docker/seccomp/needed-calls.ts'
export {
  type BlockedGroup,
  type CallGroup,
  type SeccompDecisions,
  type SeccompProfile,
  seccompProfile,
} from './docker/seccomp/profile.ts'
export type { UserRange } from './docker/users.ts'
export { ARGUMENTS_WORD } from './environment.ts'
export { ImageFaultError } from './image-fault.ts'
export { jobTimedOut } from './judge.ts'
export { mergeOutcomes, mergeRepeats } from './merge-outcomes.ts'
export { MOST_PIPED_BYTES, openPipe, type PipeEnd } from './pipe.ts'
export type {
  ContainerFacts,
  ContainerOrigin,
  Execution,
  OnConnection,
  OnOutput,
  OnRun,
  Outcome,
  RunInput,
  RunOptions,
  RunOutcome,
  RunStatus,
  Sandbox,
  StreamOutput,
} from './sandbox.ts'
export {
  type CanaryFinding,
  isContained,
  listFindings,
  type SelfTestReport,
} from './self-test/finding.ts'
export { TimeBudget } from './time-budget.ts'
export { MOST_FILE_BYTES, workspaceProblems } from './workspace.ts'
