import { pickLimits } from '@isopod/protocol'
import type { Execution } from '../contract/execution.ts'
import type { Container } from '../driver/container.ts'
import type { ContainerKind } from '../driver/container-kind.ts'
import { preloadPlan } from './preload-plan.ts'

/** Time beyond the limits of its runs after which the reaper may remove an execution's container, in milliseconds. */
const DEADLINE_MARGIN_MS = 120_000
/** Time per run beyond its limit, in milliseconds, for restoring files and for programs that end late. */
const BETWEEN_RUNS_MS = 10_000

/** A source of containers for executions: new, from the pool, or used before by the same batch. */
export interface ContainerSource {
  /**
   * Resolves with a container that no other execution has; rejects with a platform fault, or the signal's reason once
   * aborted.
   */
  acquire(execution: Execution, signal: AbortSignal): Promise<Container>
  /**
   * Takes back a container after init has reported the end of the execution. A source without reuse destroys it. The caller
   * destroys a container that it does not release.
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
    opens: language.opens_at_start,
    preload: execution.preload ? preloadPlan(execution) : undefined,
  }
}

/** Maximum time for which an execution can need its container, in milliseconds. */
export function maxUseMs({ language, limits, runs = [{ limits }] }: Execution): number {
  const compile = language.compile ? limits.compileSeconds : 0
  const running = runs.reduce((sum, { limits: { timeoutSeconds } }) => sum + timeoutSeconds, 0)
  return (running + compile) * 1000 + runs.length * BETWEEN_RUNS_MS + DEADLINE_MARGIN_MS
}
