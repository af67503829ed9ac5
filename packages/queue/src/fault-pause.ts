const FIRST_MS = 100
const LONGEST_MS = 5000

/** Pauses between tries that fail, each twice as long as the one before, up to 5 s. */
export class FaultPause {
  readonly #ends = new Set<() => void>()
  #faults = 0
  #ended = false

  /** A try went well: the next pause is short again. */
  passed(): void {
    this.#faults = 0
  }

  /** Waits before the next try. */
  async wait(): Promise<void> {
    if (this.#ended) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#faults))
    this.#faults += 1
    this.#ends.add(resolve)
    await promise
    clearTimeout(timer)
    this.#ends.delete(resolve)
  }

  /** Ends pauses that run; from now on there are none. */
  end(): void {
    this.#ended = true
    for (const resolve of this.#ends) resolve()
  }
}
