import { setTimeout as sleep } from 'node:timers/promises'
import { isGvisor } from '@isopod/protocol'
import type { NewContainer } from '../driver/container.ts'
import type { ContainerKind, ContainerPurpose } from '../driver/container-kind.ts'
import type { Driver } from '../driver/driver.ts'

/**
 * Period of the kernel's CPU quota, in milliseconds. The interpreter's imports can use up the quota of the current period, which
 * would delay a program that starts right after them.
 */
const QUOTA_PERIOD_MS = 100

/** Makes containers, and starts the interpreter ahead if their kind asks for it. */
export class ContainerMaker {
  readonly #driver: Pick<Driver, 'make'>

  constructor(driver: Pick<Driver, 'make'>) {
    this.#driver = driver
  }

  /** @throws a platform fault, or the signal's reason once aborted; the container is then removed */
  async make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<NewContainer> {
    const container = await this.#driver.make(kind, purpose, signal)
    if (kind.preload === undefined) return container
    await startAhead(container, kind, signal)
    // The interpreter did not start. A program that runs without it could have one process too many, or be blamed for its fault.
    if (container.preloaded || !(kind.preload.forks || isGvisor(container.runtime))) return container
    container.destroy()
    return await this.make(
      { ...kind, preload: undefined },
      { ...purpose, name: `${purpose.name}-plain` },
      signal,
    )
  }
}

/** Starts the interpreter, which may take long; an abort ends it at once. */
async function startAhead(
  container: NewContainer,
  { preload, limits }: ContainerKind,
  signal: AbortSignal,
): Promise<void> {
  if (preload === undefined) return
  const destroy = () => container.destroy()
  signal.addEventListener('abort', destroy, { once: true })
  try {
    signal.throwIfAborted()
    await container.preload(preload, limits)
    if (container.origin === 'pool' && preload.modules.length > 0) await sleep(QUOTA_PERIOD_MS)
    signal.throwIfAborted()
  } catch (error) {
    destroy()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', destroy)
  }
}
