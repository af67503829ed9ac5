const FIRST_MS = 1_000
const MAX_MS = 15_000

/** Delays new attempts after failures, such as an engine that is gone or an image that is missing; by pool key. */
export class Backoff {
  readonly #failed = new Map<string, { times: number; until: number }>()

  /** Records a failure: delays the next attempt by a second, and twice as long after each further failure. */
  failed(poolKey: string, now: number): void {
    const times = (this.#failed.get(poolKey)?.times ?? 0) + 1
    this.#failed.set(poolKey, { times, until: now + Math.min(MAX_MS, FIRST_MS * 2 ** (times - 1)) })
  }

  /** Records a success, here or elsewhere. */
  succeeded(poolKey: string): void {
    this.#failed.delete(poolKey)
  }

  /** Whether the next attempt is still delayed. */
  isPaused(poolKey: string, now: number): boolean {
    return now < (this.#failed.get(poolKey)?.until ?? 0)
  }

  /** Forgets all other pool keys. */
  keep(poolKeys: ReadonlySet<string>): void {
    for (const poolKey of this.#failed.keys()) if (!poolKeys.has(poolKey)) this.#failed.delete(poolKey)
  }
}
