import { UnavailableError } from '@isopod/protocol'

/** The running calls of all sessions. Limits their number, and lets a shutdown wait until their jobs are cancelled. */
export class Calls {
  readonly #limit: number
  readonly #running = new Set<Promise<unknown>>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Runs one call.
   *
   * @throws {UnavailableError} if the maximum number of calls is running
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

  /** Resolves when all calls that run now have ended, successfully or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
