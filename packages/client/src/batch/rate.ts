/** How far back a rate looks, in milliseconds, and how far apart its marks are at least. */
const WINDOW_MS = 30_000
const APART_MS = 500

/** How fast something goes of late. */
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

  /** Over the last half minute, or since it began; 0 in the moment in which it began. */
  perSecond(): number {
    const [oldest] = this.#marks
    const ms = oldest === undefined ? 0 : this.#now() - oldest.at
    return oldest === undefined || ms <= 0 ? 0 : ((this.#count - oldest.count) * 1000) / ms
  }
}
