import type { SharedContainer } from './shared-container.ts'

/** How much is kept, and for how long. */
export interface IdleContainersOptions {
  /** Most containers at once; 0 keeps none. */
  readonly size: number
  /** How long one waits for its batch, in milliseconds. */
  readonly idleMs: number
}

/** Containers that are proven clean and wait for the next execution of their batch. */
export class IdleContainers {
  readonly #options: IdleContainersOptions
  /** In the order in which they came, each with what ends its wait. */
  readonly #waiting = new Map<SharedContainer, NodeJS.Timeout>()

  constructor(options: IdleContainersOptions) {
    this.#options = options
  }

  /** Containers that wait. */
  get size(): number {
    return this.#waiting.size
  }

  /** Keeps a container; the one that has waited longest makes room. */
  put(container: SharedContainer): void {
    const drop = () => this.#drop(container)
    this.#waiting.set(container, setTimeout(drop, this.#options.idleMs).unref())
    // It ended, or speaks unasked: nobody may have it.
    container.watch(drop)
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size > this.#options.size) this.#drop(oldest)
  }

  /** The container of that key that came last, and may be used until then; undefined if there is none. */
  take(key: string, until: number): SharedContainer | undefined {
    const fitting = [...this.#waiting.keys()].filter((one) => one.key === key && one.deadline >= until)
    const container = fitting.at(-1)
    if (container === undefined) return undefined
    clearTimeout(this.#waiting.get(container))
    this.#waiting.delete(container)
    return container
  }

  /** Destroys all of them. */
  clear(): void {
    for (const container of [...this.#waiting.keys()]) this.#drop(container)
  }

  #drop(container: SharedContainer): void {
    clearTimeout(this.#waiting.get(container))
    if (this.#waiting.delete(container)) container.destroy()
  }
}
