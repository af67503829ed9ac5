/** Size of a {@link TimeAllowance}. */
export interface AllowanceOptions {
  /** Share of the window, 0 to 1. */
  readonly share: number
  /** Length of the window in milliseconds. */
  readonly windowMs: number
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
}

/** An allowance of time: at most a share of each window. Unused time does not accumulate beyond one window. */
export class TimeAllowance {
  readonly #options: AllowanceOptions
  /** Spent times with their ends, oldest first. */
  #spent: { readonly at: number; readonly ms: number }[] = []

  constructor(options: AllowanceOptions) {
    this.#options = options
  }

  /** Milliseconds left; never negative. */
  get availableMs(): number {
    const { share, windowMs } = this.#options
    return Math.max(0, share * windowMs - this.spentMs)
  }

  /** Milliseconds spent within the last window. */
  get spentMs(): number {
    const { windowMs, now } = this.#options
    const from = now() - windowMs
    this.#spent = this.#spent.filter(({ at }) => at > from)
    return this.#spent.reduce((sum, { ms }) => sum + ms, 0)
  }

  spend(ms: number): void {
    this.#spent.push({ at: this.#options.now(), ms })
  }
}
