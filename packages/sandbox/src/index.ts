export type { Container, ContainerEnd, ContainerSource } from './container.ts'
export { type ContainerPlan, containerOptions } from './docker/container-options.ts'
export {
  type DockerSandbox,
  type DockerSandboxOptions,
  openDockerSandbox,
  type SandboxEvent,
} from './docker/docker-sandbox.ts'
export { type EngineCall, type EngineOperation, EngineUnreachableError } from './docker/engine.ts'
export type { EngineFacts } from './docker/engine-facts.ts'
export { LABELS } from './docker/labels.ts'
export type { ReapReason } from './docker/reaper.ts'
export { ImageFaultError } from './image-fault.ts'
export type {
  ContainerFacts,
  Execution,
  Outcome,
  RunOptions,
  RunStatus,
  Sandbox,
  StreamOutput,
} from './sandbox.ts'
export {
  type CanaryFinding,
  type CanaryVerdict,
  isContained,
  listFindings,
  type SelfTestReport,
} from './self-test/finding.ts'
export { CANARY_IDS } from './self-test/self-test.ts'
export { workspaceProblems } from './workspace.ts'
