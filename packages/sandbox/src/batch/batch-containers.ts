import { isGvisor } from '@isopod/protocol'
import type { Container, ContainerSource } from '../container.ts'
import { kindOf } from '../container-kind.ts'
import { longestMs } from '../docker/fresh-containers.ts'
import type { ResetOutcome } from '../docker/sandbox-events.ts'
import type { Execution } from '../sandbox.ts'
import { SharedContainer } from './shared-container.ts'
import { Shelf, type ShelfOptions } from './shelf.ts'

/** How long a reset may take, in milliseconds. An honest one takes less than one; what needs longer than a new container is not worth it. */
const RESET_PATIENCE_MS = 1_000

/** What executions of a batch share containers by. */
export interface BatchContainersOptions {
  /** Where a container comes from that nobody of the batch has used before. */
  readonly source: ContainerSource
  /** Content digest of what an image's reference means now. */
  readonly digest: (reference: string) => Promise<string>
  readonly shelf: ShelfOptions
  /** Executions after which a container is not given on any more. */
  readonly executions: number
  readonly onReset: (outcome: ResetOutcome) => void
}

/** A container that is being reset. */
interface Coming {
  readonly container: SharedContainer
  /** The same once it is proven clean; undefined if it was destroyed instead. */
  readonly done: Promise<SharedContainer | undefined>
  /** An execution waits for it, so it does not go to the shelf. */
  claimed: boolean
}

/**
 * Gives executions with the same `sharedBy` the containers of their like, one execution at a time, reset in between. There
 * are as many containers of a batch as executions of it run at once. All others get theirs from the source below.
 */
export class BatchContainers implements ContainerSource {
  readonly #options: BatchContainersOptions
  readonly #shelf: Shelf
  readonly #coming = new Set<Coming>()
  #closed = false

  constructor(options: BatchContainersOptions) {
    this.#options = options
    this.#shelf = new Shelf(options.shelf)
  }

  /** Containers that wait for their batch, those that are being reset among them. */
  get shelved(): number {
    return this.#shelf.size + this.#coming.size
  }

  async acquire(execution: Execution, signal: AbortSignal): Promise<Container> {
    const { source, digest } = this.#options
    if (execution.sharedBy === undefined) return await source.acquire(execution, signal)
    const key = keyOf(execution, await digest(execution.language.image))
    const used = await this.#again(key, Date.now() + longestMs(execution), signal)
    if (used !== undefined) return used.begin(execution)
    const container = await source.acquire(execution, signal)
    // Its kernel does not say what its sockets still hold, so nothing would be proven.
    if (isGvisor(container.runtime)) return container
    // The reference may have moved meanwhile.
    return new SharedContainer(container, keyOf(execution, container.imageDigest)).begin(execution)
  }

  /** Resets the container in the background; until it is proven clean nobody can have it. */
  giveBack(container: Container, execution: Execution): void {
    if (!(container instanceof SharedContainer)) {
      this.#options.source.giveBack(container, execution)
      return
    }
    if (this.#closed || container.executions >= this.#options.executions) {
      container.destroy()
      return
    }
    const coming: Coming = { container, done: this.#reset(container), claimed: false }
    this.#coming.add(coming)
    void coming.done.then((clean) => {
      this.#coming.delete(coming)
      if (clean !== undefined && !coming.claimed) this.#shelve(clean)
    })
  }

  /** Destroys what waits; what is given back later is destroyed then. Idempotent. */
  close(): void {
    this.#closed = true
    this.#shelf.clear()
    for (const { container } of this.#coming) container.destroy()
  }

  /** A container of that key that was used before, at once or as soon as its reset is done; undefined if there is none. */
  async #again(key: string, until: number, signal: AbortSignal): Promise<SharedContainer | undefined> {
    for (;;) {
      signal.throwIfAborted()
      const shelved = this.#shelf.take(key, until)
      if (shelved !== undefined) return shelved
      const coming = [...this.#coming].find(
        ({ claimed, container }) => !claimed && container.key === key && container.deadline >= until,
      )
      if (coming === undefined) return undefined
      coming.claimed = true
      const clean = await coming.done
      if (clean === undefined) continue
      if (!signal.aborted) return clean
      this.#shelve(clean)
    }
  }

  #shelve(container: SharedContainer): void {
    if (this.#closed) container.destroy()
    else this.#shelf.put(container)
  }

  /** Never rejects, and takes no longer than its patience. */
  async #reset(container: SharedContainer): Promise<SharedContainer | undefined> {
    const patience = setTimeout(() => container.destroy(), RESET_PATIENCE_MS)
    const clean = !container.doubtful && (await container.isAsAtFirst().catch(() => false))
    clearTimeout(patience)
    if (!clean) container.destroy()
    this.#options.onReset(clean ? 'clean' : 'discarded')
    return clean ? container : undefined
  }
}

/** Equal for executions that may follow each other in one container. */
function keyOf(execution: Execution, imageDigest: string): string {
  const { sharedBy, preload = false } = execution
  return JSON.stringify([sharedBy, imageDigest, preload, kindOf(execution)])
}
