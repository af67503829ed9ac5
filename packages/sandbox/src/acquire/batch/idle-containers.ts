import type { SharedContainer } from './shared-container.ts'

/** Maximum number and age of idle containers. */
export interface IdleContainersOptions {
  /** Maximum number of containers; 0 keeps none. */
  readonly size: number
  /** Time after which a container is destroyed, in milliseconds. */
  readonly idleMs: number
}

/** Containers that are proven clean and wait for the next execution of their batch. */
export class IdleContainers {
  readonly #options: IdleContainersOptions
  /** In order of arrival, each with the timer that ends its wait. */
  readonly #waiting = new Map<SharedContainer, NodeJS.Timeout>()

  constructor(options: IdleContainersOptions) {
    this.#options = options
  }

  /** Number of containers. */
  get size(): number {
    return this.#waiting.size
  }

  /** Keeps a container; if there is no room, the one that has waited longest is destroyed. */
  put(container: SharedContainer): void {
    const drop = () => this.#drop(container)
    this.#waiting.set(container, setTimeout(drop, this.#options.idleMs).unref())
    // It ended or sent an unexpected frame, so it may not be used again.
    container.watch(drop)
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size > this.#options.size) this.#drop(oldest)
  }

  /** Takes the newest container with this key that may be used until then; undefined if there is none. */
  take(key: string, until: number): SharedContainer | undefined {
    const fitting = [...this.#waiting.keys()].filter((one) => one.key === key && one.deadline >= until)
    const container = fitting.at(-1)
    if (container === undefined) return undefined
    clearTimeout(this.#waiting.get(container))
    this.#waiting.delete(container)
    return container
  }

  /** Destroys all containers. */
  clear(): void {
    for (const container of [...this.#waiting.keys()]) this.#drop(container)
  }

  #drop(container: SharedContainer): void {
    clearTimeout(this.#waiting.get(container))
    if (this.#waiting.delete(container)) container.destroy()
  }
}
