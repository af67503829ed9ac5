const INTERVAL_MS = 30_000

/** What a {@link LeftoverReaper} is made with. */
export interface LeftoverReaperOptions {
  /** Removes the containers of workers that are gone. */
  readonly reap: () => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Removes what workers that are gone have left on the engine, every 30 seconds. */
export class LeftoverReaper {
  readonly #options: LeftoverReaperOptions
  #timer: NodeJS.Timeout | undefined
  #isReaping = false

  constructor(options: LeftoverReaperOptions) {
    this.#options = options
  }

  /** Reaps now, without waiting for it, and from then on at intervals. */
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
