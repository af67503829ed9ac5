import { isGvisor } from '@isopod/protocol'
import type { Execution } from '../../contract/execution.ts'
import type { Container } from '../../driver/container.ts'
import type { ResetOutcome } from '../../driver/sandbox-events.ts'
import { type ContainerSource, kindOf, maxUseMs } from '../container-source.ts'
import { IdleContainers, type IdleContainersOptions } from './idle-containers.ts'
import { SharedContainer } from './shared-container.ts'

/**
 * Timeout of a reset, in milliseconds. Usually one takes less than 1, with all inodes of the writable mounts used up 240, and on
 * a busy host several times that, as a new container does.
 */
const RESET_TIMEOUT_MS = 3_000

/** Limits on the reuse of containers by a batch. */
export interface BatchReuseOptions {
  /** Maximum number of idle containers of all batches together. @default eight per core */
  readonly containers?: number | undefined
  /** Time after which an idle container is destroyed, in milliseconds. @default 60000 */
  readonly idleMs?: number
  /** Maximum number of executions in one container. @default 1000 */
  readonly executions?: number
}

/** Options of {@link BatchContainers}. */
export interface BatchContainersOptions {
  /** Makes the containers that the batch has not used before. */
  readonly source: ContainerSource
  /** Returns the content digest of the image that a reference names now, for containers of a runtime. */
  readonly digest: (reference: string, runtime: string | undefined) => Promise<string>
  readonly idle: IdleContainersOptions
  /** Executions after which a container is destroyed. */
  readonly executions: number
  readonly onReset: (outcome: ResetOutcome) => void
}

/** A container that is being reset. */
interface ResettingContainer {
  readonly container: SharedContainer
  /** Resolves with the container once it is proven clean; with undefined if it was destroyed. */
  readonly done: Promise<SharedContainer | undefined>
  /** Whether an execution waits for it, so that it does not become idle. */
  claimed: boolean
}

/**
 * Gives executions with the same `sharedBy` the same containers, one execution at a time, with a reset in between. A batch has as
 * many containers as concurrent executions.
 */
export class BatchContainers implements ContainerSource {
  readonly #options: BatchContainersOptions
  readonly #idle: IdleContainers
  readonly #resetting = new Set<ResettingContainer>()
  #closed = false

  constructor(options: BatchContainersOptions) {
    this.#options = options
    this.#idle = new IdleContainers(options.idle)
  }

  /** Number of idle containers, including those that are being reset. */
  get idle(): number {
    return this.#idle.size + this.#resetting.size
  }

  async acquire(execution: Execution, signal: AbortSignal): Promise<Container> {
    const { source, digest } = this.#options
    const key = keyOf(execution, await digest(execution.language.image, execution.runtime))
    const used = await this.#takeUsed(key, Date.now() + maxUseMs(execution), signal)
    if (used !== undefined) return used.begin(execution)
    const container = await source.acquire(execution, signal)
    // gVisor does not report what sockets still hold, so a reset would prove nothing.
    if (isGvisor(container.runtime)) return container
    // The image reference may have moved meanwhile.
    return new SharedContainer(container, keyOf(execution, container.imageDigest)).begin(execution)
  }

  /** Resets the container in the background; the next execution gets it once it is proven clean. */
  release(container: Container, execution: Execution): void {
    if (!(container instanceof SharedContainer)) {
      this.#options.source.release(container, execution)
      return
    }
    if (this.#closed || container.executions >= this.#options.executions) {
      container.destroy()
      return
    }
    const resetting: ResettingContainer = { container, done: this.#reset(container), claimed: false }
    this.#resetting.add(resetting)
    void resetting.done.then((clean) => {
      this.#resetting.delete(resetting)
      if (clean !== undefined && !resetting.claimed) this.#keep(clean)
    })
  }

  /** Destroys idle containers; those released later are destroyed then. Idempotent. */
  close(): void {
    this.#closed = true
    this.#idle.clear()
    for (const { container } of this.#resetting) container.destroy()
  }

  /** A used container with this key, immediately or after its reset; undefined if there is none. */
  async #takeUsed(key: string, until: number, signal: AbortSignal): Promise<SharedContainer | undefined> {
    for (;;) {
      signal.throwIfAborted()
      const idle = this.#idle.take(key, until)
      if (idle !== undefined) return idle
      const resetting = [...this.#resetting].find(
        ({ claimed, container }) => !claimed && container.key === key && container.deadline >= until,
      )
      if (resetting === undefined) return undefined
      resetting.claimed = true
      const clean = await resetting.done
      if (clean === undefined) continue
      if (!signal.aborted) return clean
      this.#keep(clean)
    }
  }

  #keep(container: SharedContainer): void {
    if (this.#closed) container.destroy()
    else this.#idle.put(container)
  }

  /** Never rejects, and settles within its timeout. */
  async #reset(container: SharedContainer): Promise<SharedContainer | undefined> {
    const timeout = setTimeout(() => container.destroy(), RESET_TIMEOUT_MS)
    const clean = !container.tainted && (await container.matchesBaseline().catch(() => false))
    clearTimeout(timeout)
    if (!clean) container.destroy()
    this.#options.onReset(clean ? 'clean' : 'discarded')
    return clean ? container : undefined
  }
}

/** Equal for executions that may share a container. */
function keyOf(execution: Execution, imageDigest: string): string {
  const { sharedBy, preload = false } = execution
  return JSON.stringify([sharedBy, imageDigest, preload, kindOf(execution)])
}
