/** What one execution takes of the host while it has a container. */
export interface Share {
  /** MiB. */
  readonly memoryMb: number
  /** Cores. */
  readonly cpus: number
}

/** Maximum that all executions of a worker take together. */
export interface Budget extends Share {
  /** Concurrent executions. */
  readonly slots: number
}

/** The job that waits for a share. */
export interface Claimant {
  readonly tenant: string
  /** Timeout of its program, in milliseconds. */
  readonly timeoutMs: number
}

/** An execution that waits for its share. */
export interface Waiter extends Claimant {
  /** Start of the wait, by `performance.now`. */
  readonly since: number
}

/** Current use of the budget, and how many executions wait. */
export interface AdmissionUse extends Share {
  readonly running: number
  readonly waiting: number
}

/** How many later executions may pass one whose share does not fit yet. */
export const MAX_PASSES = 32
/** Maximum number of further jobs that the worker takes because waiting executions leave slots empty. */
const MAX_WAITING = 32

/** Smallest share of a job (packages/protocol): with less left, no job can pass. */
const MIN_SHARE: Share = { memoryMb: 16, cpus: 0.1 }
/** A claimant without tenant and timeout. */
const ANONYMOUS: Claimant = { tenant: '', timeoutMs: Number.POSITIVE_INFINITY }
/** Cores are counted in thousandths, because sums of fractions drift. */
const MILLI = 1000

interface Entry {
  readonly memoryMb: number
  readonly millicpus: number
  /** Whether it must run while nothing else runs. */
  readonly exclusive: boolean
}

interface Waiting extends Entry, Waiter {
  /** Grows with each arrival. */
  readonly arrival: number
  /** Called when it starts to block all others. */
  readonly onBlocking: (() => void) | undefined
  /** How many later executions have passed it. */
  passes: number
  admit(): void
  reject(reason: Error): void
}

/**
 * Admits executions in the order of their arrival while the budget has room. Smaller ones may pass one that does not fit yet,
 * {@link MAX_PASSES} times; then it blocks all others until it is admitted. An exclusive execution can be passed as often, by
 * any other one.
 */
export class Admission {
  readonly #budget: Omit<Entry, 'exclusive'> & { readonly slots: number }
  readonly #running = new Set<Entry>()
  #waiting: Waiting[] = []
  #memoryMb = 0
  #millicpus = 0
  #arrivals = 0
  readonly #closing = new AbortController()
  /** When two or more executions last ran at the same time. */
  #overcommittedAt = Number.NEGATIVE_INFINITY

  constructor({ memoryMb, cpus, slots }: Budget) {
    this.#budget = { memoryMb, millicpus: Math.floor(cpus * MILLI), slots }
  }

  /**
   * Waits until there is room. A share larger than the budget counts as the whole budget.
   *
   * @returns releases the share; idempotent
   * @throws the reason of `signal` once aborted, or the one that {@link Admission.close} was given
   */
  async enter(share: Share, signal: AbortSignal, claimant: Claimant = ANONYMOUS): Promise<() => void> {
    const entry: Entry = {
      memoryMb: Math.min(share.memoryMb, this.#budget.memoryMb),
      millicpus: Math.min(Math.ceil(share.cpus * MILLI), this.#budget.millicpus),
      exclusive: false,
    }
    return await this.#enter(entry, claimant, signal)
  }

  /**
   * Waits until nothing else runs and no other execution may go first; otherwise as {@link Admission.enter}.
   *
   * @param onBlocking called once it has been passed as often as allowed and blocks the others
   */
  async enterExclusively(onBlocking: () => void, signal: AbortSignal): Promise<() => void> {
    const { memoryMb, millicpus } = this.#budget
    return await this.#enter({ memoryMb, millicpus, exclusive: true }, ANONYMOUS, signal, onBlocking)
  }

  /** Rejects every wait, now and later; running executions keep their shares. */
  close(reason: Error): void {
    this.#closing.abort(reason)
    for (const waiting of [...this.#waiting]) waiting.reject(reason)
  }

  /** Current use of the budget. */
  get use(): AdmissionUse {
    return {
      memoryMb: this.#memoryMb,
      cpus: this.#millicpus / MILLI,
      running: this.#running.size,
      waiting: this.#waiting.length,
    }
  }

  /** Executions that wait for a share, except exclusive ones. */
  get waiting(): readonly Waiter[] {
    return this.#waiting.filter(({ exclusive }) => !exclusive)
  }

  /** Whether two or more executions ran at the same time within the last `ms` milliseconds. */
  wasOvercommitted(ms: number): boolean {
    return this.#running.size > 1 || performance.now() - this.#overcommittedAt < ms
  }

  /**
   * How many jobs the worker should hold so that no slot stays empty: its slots, and one more for each waiting job, unless no
   * other job could start anyway.
   */
  get wanted(): number {
    const { memoryMb, millicpus, slots } = this.#budget
    const exclusiveCount = this.#waiting.filter(({ exclusive }) => exclusive).length
    // Other jobs must wait here during an exclusive run, because it may have to yield to them.
    if ([...this.#running].some(({ exclusive }) => exclusive))
      return slots + Math.min(exclusiveCount + 1, MAX_WAITING)
    const isFull =
      this.#running.size >= slots ||
      memoryMb - this.#memoryMb < MIN_SHARE.memoryMb ||
      millicpus - this.#millicpus < MIN_SHARE.cpus * MILLI
    const blocking = this.#waiting.find(({ passes }) => passes >= MAX_PASSES)
    if (blocking?.exclusive) return slots + Math.min(exclusiveCount, MAX_WAITING)
    return slots + (isFull || blocking ? 0 : Math.min(this.#waiting.length, MAX_WAITING))
  }

  async #enter(
    entry: Entry,
    claimant: Claimant,
    signal: AbortSignal,
    onBlocking?: () => void,
  ): Promise<() => void> {
    signal.throwIfAborted()
    this.#closing.signal.throwIfAborted()
    const { promise, resolve, reject: refuse } = Promise.withResolvers<void>()
    const abort = () => waiting.reject(signal.reason)
    const leave = () => {
      signal.removeEventListener('abort', abort)
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
    }
    const waiting: Waiting = {
      ...{ ...entry, ...claimant, onBlocking },
      since: performance.now(),
      arrival: this.#arrivals++,
      passes: 0,
      admit: () => {
        leave()
        this.#take(entry)
        resolve()
      },
      reject: (reason) => {
        leave()
        refuse(reason)
        // Executions that it blocked may now be admitted.
        this.#admitAll()
      },
    }
    signal.addEventListener('abort', abort)
    this.#waiting.push(waiting)
    this.#admitAll()
    await promise
    return () => this.#release(entry)
  }

  /** Admits every execution that fits now. */
  #admitAll(): void {
    if (this.#closing.signal.aborted) return
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      next.admit()
      for (const waiting of this.#waiting) {
        if (waiting.arrival < next.arrival && ++waiting.passes === MAX_PASSES) waiting.onBlocking?.()
      }
    }
  }

  /** The first one that fits, by arrival. Exclusive ones come last until they have been passed {@link MAX_PASSES} times. */
  #next(): Waiting | undefined {
    const isLast = ({ exclusive, passes }: Waiting) => exclusive && passes < MAX_PASSES
    const first = this.#waiting.filter((waiting) => !isLast(waiting))
    for (const waiting of [...first, ...this.#waiting.filter(isLast)]) {
      if (this.#fits(waiting)) return waiting
      if (waiting.passes >= MAX_PASSES) return undefined
    }
    return undefined
  }

  #fits({ memoryMb, millicpus, exclusive }: Entry): boolean {
    return (
      (!exclusive || this.#running.size === 0) &&
      this.#running.size < this.#budget.slots &&
      this.#memoryMb + memoryMb <= this.#budget.memoryMb &&
      this.#millicpus + millicpus <= this.#budget.millicpus
    )
  }

  #take(entry: Entry): void {
    this.#running.add(entry)
    this.#memoryMb += entry.memoryMb
    this.#millicpus += entry.millicpus
  }

  #release(entry: Entry): void {
    if (this.#running.size > 1) this.#overcommittedAt = performance.now()
    if (!this.#running.delete(entry)) return
    this.#memoryMb -= entry.memoryMb
    this.#millicpus -= entry.millicpus
    this.#admitAll()
  }
}
