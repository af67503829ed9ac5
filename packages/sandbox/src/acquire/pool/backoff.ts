const FIRST_MS = 1_000
const MAX_MS = 15_000

/** Delays new attempts after failures, such as an engine that is gone or an image that is missing. */
export class Backoff {
  readonly #failed = new Map<string, { times: number; until: number }>()

  /** Records a failure: the name rests for a second, and twice as long after each further failure. */
  failed(name: string, now: number): void {
    const times = (this.#failed.get(name)?.times ?? 0) + 1
    this.#failed.set(name, { times, until: now + Math.min(MAX_MS, FIRST_MS * 2 ** (times - 1)) })
  }

  /** Records a success, here or elsewhere. */
  passed(name: string): void {
    this.#failed.delete(name)
  }

  /** Whether the name still rests. */
  rests(name: string, now: number): boolean {
    return now < (this.#failed.get(name)?.until ?? 0)
  }

  /** Forgets all other names. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.#failed.keys()) if (!names.has(name)) this.#failed.delete(name)
  }
}
