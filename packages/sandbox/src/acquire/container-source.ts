import { pickLimits } from '@isopod/protocol'
import type { Execution } from '../contract/execution.ts'
import type { Container } from '../driver/container.ts'
import type { ContainerKind } from '../driver/container-kind.ts'
import { preloadPlan } from './preload-plan.ts'

/** Time that an execution may take beyond the limits of its runs before the reaper may remove its container, in milliseconds. */
const DEADLINE_MARGIN_MS = 120_000
/** Time that a run may take beyond its limit, in milliseconds: files are laid out again, and a program may end late. */
const BETWEEN_RUNS_MS = 10_000

/** Where an execution gets its container from: made on the spot, started ahead, or used before by its batch. */
export interface ContainerSource {
  /** Resolves with a container that no other execution has; rejects with a platform fault, or the signal's reason once aborted. */
  acquire(execution: Execution, signal: AbortSignal): Promise<Container>
  /**
   * Takes back a container after an execution that ended in order, by init's own word. A source that keeps none for a batch
   * destroys it. The caller destroys a container that it does not release.
   */
  release(container: Container, execution: Execution): void
}

/** The kind of container that an execution asks for. */
export function kindOf(execution: Execution): ContainerKind {
  const { language, runtime, limits } = execution
  return {
    image: language.image,
    runtime,
    limits: pickLimits(limits, 'container', 'creation', 'process'),
    profile: language.seccomp_profile,
    preload: execution.preload ? preloadPlan(execution) : undefined,
  }
}

/** The longest that an execution can need its container, in milliseconds. */
export function maxUseMs({ language, limits, runs = [{ limits }] }: Execution): number {
  const compile = language.compile ? language.compile_timeout_seconds : 0
  const running = runs.reduce((sum, { limits: { timeoutSeconds } }) => sum + timeoutSeconds, 0)
  return (running + compile) * 1000 + runs.length * BETWEEN_RUNS_MS + DEADLINE_MARGIN_MS
}
