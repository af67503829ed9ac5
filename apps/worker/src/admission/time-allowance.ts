/** What may be spent, and of how much time. */
export interface AllowanceOptions {
  /** Part of all time, 0 to 1. */
  readonly share: number
  /** Length of the window that the share is counted in, in milliseconds. */
  readonly windowMs: number
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
}

/** An allowance of time: within each window no more than a share of it. Unused time is not saved up beyond one window. */
export class TimeAllowance {
  readonly #options: AllowanceOptions
  /** What was spent, by the time at which it ended, oldest first. */
  #spent: { readonly at: number; readonly ms: number }[] = []

  constructor(options: AllowanceOptions) {
    this.#options = options
  }

  /** Milliseconds that may be spent now; 0 while more than all was. */
  get availableMs(): number {
    const { share, windowMs } = this.#options
    return Math.max(0, share * windowMs - this.spentMs)
  }

  /** Milliseconds that were spent within the last window. */
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
