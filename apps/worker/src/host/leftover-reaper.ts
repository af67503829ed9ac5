const INTERVAL_MS = 30_000

/** Dependencies of {@link LeftoverReaper}. */
export interface LeftoverReaperOptions {
  /** Removes the containers of workers that are gone. */
  readonly reap: () => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Removes the containers of workers that are gone, every 30 seconds. */
export class LeftoverReaper {
  readonly #options: LeftoverReaperOptions
  #timer: NodeJS.Timeout | undefined
  #isReaping = false

  constructor(options: LeftoverReaperOptions) {
    this.#options = options
  }

  /** Starts with a first sweep, without waiting for it. */
  start(): void {
    this.#timer = setInterval(() => void this.#reap(), INTERVAL_MS)
    void this.#reap()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #reap(): Promise<void> {
    // The engine can take longer than an interval.
    if (this.#isReaping) return
    this.#isReaping = true
    try {
      await this.#options.reap()
    } catch (error) {
      this.#options.onError(error)
    } finally {
      this.#isReaping = false
    }
  }
}
