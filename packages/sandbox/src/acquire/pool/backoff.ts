const FIRST_MS = 1_000
const MAX_MS = 15_000

/** Keeps what failed from being tried over and over: an engine that is gone, an image that is missing. */
export class Backoff {
  readonly #failed = new Map<string, { times: number; until: number }>()

  /** It failed: it rests for a second, and twice as long after each further time. */
  failed(name: string, now: number): void {
    const times = (this.#failed.get(name)?.times ?? 0) + 1
    this.#failed.set(name, { times, until: now + Math.min(MAX_MS, FIRST_MS * 2 ** (times - 1)) })
  }

  /** It went well, here or elsewhere. */
  passed(name: string): void {
    this.#failed.delete(name)
  }

  rests(name: string, now: number): boolean {
    return now < (this.#failed.get(name)?.until ?? 0)
  }

  /** Forgets all but these. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.#failed.keys()) if (!names.has(name)) this.#failed.delete(name)
  }
}
