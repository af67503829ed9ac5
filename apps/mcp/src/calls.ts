import { UnavailableError } from '@isopod/protocol'

/** The calls that run, of all sessions: bounds how many there are, and lets a shutdown wait for their jobs to be cancelled. */
export class Calls {
  readonly #limit: number
  readonly #running = new Set<Promise<unknown>>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Runs one call.
   *
   * @throws {UnavailableError} if as many run already as may
   */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running.size >= this.#limit) {
      throw new UnavailableError(
        `Too many calls at once: this server runs at most ${this.#limit}; try again when one has ended`,
      )
    }
    const running = call()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Resolves when the calls that run now have ended, however they ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
