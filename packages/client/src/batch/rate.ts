/** Window of a rate, and the minimum distance of its marks, in milliseconds. */
const WINDOW_MS = 30_000
const APART_MS = 500

/** A rate over the last half minute. */
export class Rate {
  readonly #now: () => number
  readonly #marks: { readonly at: number; readonly count: number }[]
  #count = 0

  /** @param now a clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now
    this.#marks = [{ at: now(), count: 0 }]
  }

  /** Counts one. */
  add(): void {
    this.#count += 1
    const at = this.#now()
    if (at - (this.#marks.at(-1)?.at ?? 0) < APART_MS) return
    this.#marks.push({ at, count: this.#count })
    while (this.#marks.length > 2 && at - (this.#marks[1]?.at ?? at) >= WINDOW_MS) this.#marks.shift()
  }

  /** Events per second; 0 at the start. */
  perSecond(): number {
    const [oldest] = this.#marks
    const ms = oldest === undefined ? 0 : this.#now() - oldest.at
    return oldest === undefined || ms <= 0 ? 0 : ((this.#count - oldest.count) * 1000) / ms
  }
}
