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
/** Waiting executions beyond which the worker takes no further jobs to fill the slots that they leave empty. */
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
  /** Whether it must run alone. */
  readonly alone: boolean
}

interface Waiting extends Entry, Waiter {
  /** Grows with each arrival. */
  readonly arrival: number
  /** Called when no other execution may pass this one. */
  readonly onBar: (() => void) | undefined
  /** How many later executions have passed it. */
  passes: number
  letIn(): void
  turnAway(reason: Error): void
}

/**
 * Admits executions in the order of their arrival while the budget has room. Smaller ones may pass one that does not fit yet,
 * {@link MAX_PASSES} times; then all others wait until it is in. An execution that runs alone can be passed as often, by any
 * other one.
 */
export class Admission {
  readonly #budget: Omit<Entry, 'alone'> & { readonly slots: number }
  readonly #running = new Set<Entry>()
  #waiting: Waiting[] = []
  #memoryMb = 0
  #millicpus = 0
  #arrivals = 0
  readonly #closing = new AbortController()
  /** When two or more were last in at the same time. */
  #overcommittedAt = Number.NEGATIVE_INFINITY

  constructor({ memoryMb, cpus, slots }: Budget) {
    this.#budget = { memoryMb, millicpus: Math.floor(cpus * MILLI), slots }
  }

  /**
   * Waits until there is room. A share larger than the budget counts as all of it, so it runs alone.
   *
   * @returns releases the share; idempotent
   * @throws the reason of `signal` once aborted, or the one that {@link Admission.close} was given
   */
  async enter(share: Share, signal: AbortSignal, claimant: Claimant = ANONYMOUS): Promise<() => void> {
    const entry: Entry = {
      memoryMb: Math.min(share.memoryMb, this.#budget.memoryMb),
      millicpus: Math.min(Math.ceil(share.cpus * MILLI), this.#budget.millicpus),
      alone: false,
    }
    return await this.#enter(entry, claimant, signal)
  }

  /**
   * Waits until nothing else runs and no other execution may go first; otherwise as {@link Admission.enter}.
   *
   * @param onBar called once it has been passed as often as allowed and the others wait for it
   */
  async enterAlone(onBar: () => void, signal: AbortSignal): Promise<() => void> {
    const { memoryMb, millicpus } = this.#budget
    return await this.#enter({ memoryMb, millicpus, alone: true }, ANONYMOUS, signal, onBar)
  }

  /** Rejects every wait, now and later; running executions keep their shares. */
  close(reason: Error): void {
    this.#closing.abort(reason)
    for (const waiting of [...this.#waiting]) waiting.turnAway(reason)
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

  /** Executions that wait for a share, except those that must run alone. */
  get waiting(): readonly Waiter[] {
    return this.#waiting.filter(({ alone }) => !alone)
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
    const lonely = this.#waiting.filter(({ alone }) => alone).length
    // Jobs that wait for an exclusive run must be here, because it may have to yield to them.
    if ([...this.#running].some(({ alone }) => alone)) return slots + Math.min(lonely + 1, MAX_WAITING)
    const isFull =
      this.#running.size >= slots ||
      memoryMb - this.#memoryMb < MIN_SHARE.memoryMb ||
      millicpus - this.#millicpus < MIN_SHARE.cpus * MILLI
    const bar = this.#waiting.find(({ passes }) => passes >= MAX_PASSES)
    if (bar?.alone) return slots + Math.min(lonely, MAX_WAITING)
    return slots + (isFull || bar ? 0 : Math.min(this.#waiting.length, MAX_WAITING))
  }

  async #enter(
    entry: Entry,
    claimant: Claimant,
    signal: AbortSignal,
    onBar?: () => void,
  ): Promise<() => void> {
    signal.throwIfAborted()
    this.#closing.signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => waiting.turnAway(signal.reason)
    const leave = () => {
      signal.removeEventListener('abort', abort)
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
    }
    const waiting: Waiting = {
      ...{ ...entry, ...claimant, onBar },
      since: performance.now(),
      arrival: this.#arrivals++,
      passes: 0,
      letIn: () => {
        leave()
        this.#take(entry)
        resolve()
      },
      turnAway: (reason) => {
        leave()
        reject(reason)
        // Executions that could not pass it may now be admitted.
        this.#letIn()
      },
    }
    signal.addEventListener('abort', abort)
    this.#waiting.push(waiting)
    this.#letIn()
    await promise
    return () => this.#release(entry)
  }

  /** Admits every execution that fits now. */
  #letIn(): void {
    if (this.#closing.signal.aborted) return
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      next.letIn()
      for (const waiting of this.#waiting) {
        if (waiting.arrival < next.arrival && ++waiting.passes === MAX_PASSES) waiting.onBar?.()
      }
    }
  }

  /** The first that fits, by arrival; those that must run alone come last, until they were passed often enough. */
  #next(): Waiting | undefined {
    const isLast = ({ alone, passes }: Waiting) => alone && passes < MAX_PASSES
    const first = this.#waiting.filter((waiting) => !isLast(waiting))
    for (const waiting of [...first, ...this.#waiting.filter(isLast)]) {
      if (this.#fits(waiting)) return waiting
      if (waiting.passes >= MAX_PASSES) return undefined
    }
    return undefined
  }

  #fits({ memoryMb, millicpus, alone }: Entry): boolean {
    return (
      (!alone || this.#running.size === 0) &&
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
    this.#letIn()
  }
}
