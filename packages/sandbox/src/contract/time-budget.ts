/**
 * The time that a whole job may spend in the sandbox, over all of its executions. The clock runs while at least one of them
 * has a container; simultaneous executions count once.
 */
export class TimeBudget {
  /** All of it. */
  readonly seconds: number
  readonly #now: () => number
  #spentMs = 0
  #running = 0
  #since = 0

  /** @param now milliseconds of a clock that only goes forward */
  constructor(seconds: number, now: () => number = () => performance.now()) {
    this.seconds = seconds
    this.#now = now
  }

  /** Milliseconds left; never negative. */
  get leftMs(): number {
    const running = this.#running > 0 ? this.#now() - this.#since : 0
    return Math.max(0, this.seconds * 1000 - this.#spentMs - running)
  }

  /** Whether less than a millisecond is left, too little for any run. */
  get isSpent(): boolean {
    return this.leftMs < 1
  }

  /** Starts the clock. @returns stops it; a second call changes nothing */
  start(): () => void {
    if (this.#running++ === 0) this.#since = this.#now()
    let stopped = false
    return () => {
      if (stopped) return
      stopped = true
      if (--this.#running === 0) this.#spentMs += this.#now() - this.#since
    }
  }
}
