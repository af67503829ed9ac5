import { createHash } from 'node:crypto'
import type { Execution } from '../contract/execution.ts'
import type { Container } from '../driver/container.ts'
import type { ContainerMaker } from './container-maker.ts'
import { type ContainerSource, kindOf, maxUseMs } from './container-source.ts'

/**
 * Time for which a container may serve its batch after its first execution, in milliseconds; its deadline cannot change
 * later.
 */
const SHARED_MS = 600_000

/** Makes a new container for each execution, and destroys it afterwards. */
export class FreshContainers implements ContainerSource {
  readonly #maker: ContainerMaker
  readonly #deployment: string

  /** @param deployment part of the containers' names, because two deployments on one engine can have jobs with the same id */
  constructor(maker: ContainerMaker, deployment: string) {
    this.#maker = maker
    this.#deployment = createHash('sha256').update(deployment).digest('hex').slice(0, 12)
  }

  acquire(execution: Execution, signal: AbortSignal): Promise<Container> {
    const { id, attempt } = execution
    const shared = execution.sharedBy === undefined ? 0 : SHARED_MS
    const deadline = Date.now() + maxUseMs(execution) + shared
    const name = `isopod-${this.#deployment}-${id}-${attempt}`
    const purpose = { name, origin: 'made', job: id, attempt, deadline } as const
    return this.#maker.make(kindOf(execution), purpose, signal)
  }

  release(container: Container): void {
    container.destroy()
  }
}
