import type { Execution } from '../../contract/execution.ts'
import type { Container, NewContainer } from '../../driver/container.ts'
import type { ContainerKind } from '../../driver/container-kind.ts'
import type { ContainerSource } from '../container-source.ts'
import { kindOf, maxUseMs } from '../container-source.ts'
import type { ContainerPool } from './container-pool.ts'
import { type PoolKind, pooled } from './pool-key.ts'

/** What the source is made with. */
export interface PooledContainersOptions {
  readonly pool: ContainerPool
  /** Makes those on the spot that the pool does not have. */
  readonly fresh: ContainerSource
  /** Whether the limits of a running container of this kind can be changed. */
  readonly changeable: (kind: ContainerKind) => boolean
  readonly onAsked?: (kind: ContainerKind, outcome: 'hit' | 'miss') => void
}

/** Gives each execution a container that waited for one, else one that is made on the spot; each is used once. */
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
    // Not before: a container that would be made trackExternalCreate this one would only slow it down, and one of a kind that cannot be made fails.
    pool.asked(wanted)
    return container
  }

  release(container: Container): void {
    container.destroy()
  }

  /** One that waited, with the limits that are asked for; undefined if there is none, or it could not get them. */
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
    if (found.key !== wanted.key && !(await changed(container, execution, signal))) return undefined
    // Only now: from here on it is what its execution asked for, whoever looks.
    container.assign(execution)
    return container
  }
}

/**
 * Gives a container the limits that are asked for; false if it did not get them, and is gone. That nobody uses one which did
 * not is seen to again by who runs something in it.
 */
async function changed(
  container: NewContainer,
  { limits }: Execution,
  signal: AbortSignal,
): Promise<boolean> {
  const { memoryMb, cpus, processes } = limits
  try {
    await container.change({ memoryMb, cpus, processes })
    signal.throwIfAborted()
    return true
  } catch {
    container.destroy()
    signal.throwIfAborted()
    return false
  }
}
