import { pickLimits } from '@isopod/protocol'
import type { Execution } from '../../contract/execution.ts'
import type { Container, NewContainer } from '../../driver/container.ts'
import type { ContainerKind } from '../../driver/container-kind.ts'
import { type ContainerSource, kindOf, maxUseMs } from '../container-source.ts'
import type { ContainerPool } from './container-pool.ts'
import { type PoolKind, pooled } from './pool-key.ts'

/** Options of {@link PooledContainers}. */
export interface PooledContainersOptions {
  readonly pool: ContainerPool
  /** Makes the containers that the pool does not have. */
  readonly fresh: ContainerSource
  /** Whether the limits of a running container of this kind can be changed. */
  readonly changeable: (kind: ContainerKind) => boolean
  readonly onAsked?: (kind: ContainerKind, outcome: 'hit' | 'miss') => void
}

/** Gives each execution a container from the pool, else a new one. Each is used once. */
export class PooledContainers implements ContainerSource {
  readonly #options: PooledContainersOptions

  constructor(options: PooledContainersOptions) {
    this.#options = options
  }

  async acquire(execution: Execution, signal: AbortSignal): Promise<Container> {
    signal.throwIfAborted()
    const { pool, fresh, changeable } = this.#options
    const kind = kindOf(execution)
    const wanted = pooled(kind, changeable(kind))
    const container =
      (await this.#waiting(execution, wanted, signal)) ??
      (await pool.trackExternalCreate(() => fresh.acquire(execution, signal)))
    // Last, because a refill would slow this container down, and a kind that cannot be made would fail again.
    pool.asked(wanted)
    return container
  }

  release(container: Container): void {
    container.destroy()
  }

  /** A container of the pool with the limits asked for; undefined if there is none, or its limits could not be changed. */
  async #waiting(
    execution: Execution,
    wanted: PoolKind,
    signal: AbortSignal,
  ): Promise<Container | undefined> {
    const { pool, onAsked } = this.#options
    const taken = await pool.take(wanted, Date.now() + maxUseMs(execution), signal)
    onAsked?.(wanted.kind, taken?.waited ? 'hit' : 'miss')
    if (taken === undefined) return undefined
    const { container, pooled: found } = taken.waiting
    if (found.key !== wanted.key && !(await changeLimits(container, execution, signal))) return undefined
    container.assign(execution)
    return container
  }
}

/**
 * Changes a container's limits. If that fails, destroys the container and returns false. The limits are checked again before
 * anything runs.
 */
async function changeLimits(
  container: NewContainer,
  { limits }: Execution,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await container.changeLimits(pickLimits(limits, 'container'))
    signal.throwIfAborted()
    return true
  } catch {
    container.destroy()
    signal.throwIfAborted()
    return false
  }
}
