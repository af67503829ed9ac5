/** What one execution takes of its host for as long as it has its container. */
export interface Share {
  /** MiB. */
  readonly memoryMb: number
  /** Cores. */
  readonly cpus: number
}

/** What all executions of one worker may take together. */
export interface Budget extends Share {
  /** Executions at once. */
  readonly slots: number
}

/** Who waits for a share, and how long its own program may take. */
export interface Claimant {
  readonly tenant: string
  /** Wall-clock limit of its program, in milliseconds. */
  readonly timeoutMs: number
}

/** An execution that waits for its share. */
export interface Waiter extends Claimant {
  /** Since when, by the clock of `performance.now`. */
  readonly since: number
}

/** What is taken right now, and how many wait for their share. */
export interface AdmissionUse extends Share {
  readonly running: number
  readonly waiting: number
}

/** How often later executions may go first while one waits for a share that is too large for now. */
export const MOST_PASSES = 32
/** Executions that may wait before no more jobs are taken for the room that they leave. */
const MOST_WAITING = 32

/** The least that a job can ask for (packages/protocol): with less than that left, no job can go first. */
const LEAST: Share = { memoryMb: 16, cpus: 0.1 }
/** A claimant that names no tenant and no limit. */
const ANONYMOUS: Claimant = { tenant: '', timeoutMs: Number.POSITIVE_INFINITY }
/** Cores are counted in thousandths: sums of fractions would drift. */
const MILLI = 1000

interface Entry {
  readonly memoryMb: number
  readonly millicpus: number
  /** It is to be the only one. */
  readonly alone: boolean
}

interface Waiting extends Entry, Waiter {
  /** Grows with each arrival. */
  readonly arrival: number
  /** Called when no other execution may pass this one any more. */
  readonly onBar: (() => void) | undefined
  /** How many that came later were let in before. */
  passes: number
  letIn(): void
  turnAway(reason: Error): void
}

/**
 * Lets executions in while the budget has what they ask for, in the order of their arrival. Smaller ones may pass one for which
 * there is no room yet, {@link MOST_PASSES} times; then all others wait until it is in. An execution that is to be alone can be
 * passed as often by any other, also by one that arrives when there is room for it.
 */
export class Admission {
  readonly #budget: Omit<Entry, 'alone'> & { readonly slots: number }
  readonly #running = new Set<Entry>()
  #waiting: Waiting[] = []
  #memoryMb = 0
  #millicpus = 0
  #arrivals = 0
  /** Jobs that wait for something else than their share. */
  #withoutSlot = 0
  readonly #closing = new AbortController()
  /** When there were two or more for the last time. */
  #overcommittedAt = Number.NEGATIVE_INFINITY

  constructor({ memoryMb, cpus, slots }: Budget) {
    this.#budget = { memoryMb, millicpus: Math.floor(cpus * MILLI), slots }
  }

  /**
   * Waits until there is room. A share above the whole budget counts as all of it: it has the host to itself.
   *
   * @returns gives the share back; a second call changes nothing
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
   * @param onBar called if it has been passed as often as it may be: from then on the others wait for it
   */
  async enterAlone(onBar: () => void, signal: AbortSignal): Promise<() => void> {
    const { memoryMb, millicpus } = this.#budget
    return await this.#enter({ memoryMb, millicpus, alone: true }, ANONYMOUS, signal, onBar)
  }

  /**
   * Lets a job wait for something else than its share; another job may take its slot meanwhile.
   *
   * @param wait gets a signal that {@link Admission.close} aborts with its reason
   */
  async withoutSlot<T>(wait: (closing: AbortSignal) => Promise<T>): Promise<T> {
    this.#withoutSlot += 1
    try {
      return await wait(this.#closing.signal)
    } finally {
      this.#withoutSlot -= 1
    }
  }

  /** Rejects every wait, now and later; executions that are in stay in. */
  close(reason: Error): void {
    this.#closing.abort(reason)
    for (const waiting of [...this.#waiting]) waiting.turnAway(reason)
  }

  /** What is taken, and who waits. */
  get use(): AdmissionUse {
    return {
      memoryMb: this.#memoryMb,
      cpus: this.#millicpus / MILLI,
      running: this.#running.size,
      waiting: this.#waiting.length,
    }
  }

  /** Who waits for a share, but for those who wait to be alone. */
  get waiting(): readonly Waiter[] {
    return this.#waiting.filter(({ alone }) => !alone)
  }

  /** Whether two or more were in at the same time within the last so many milliseconds. */
  wasOvercommitted(ms: number): boolean {
    return this.#running.size > 1 || performance.now() - this.#overcommittedAt < ms
  }

  /**
   * How many jobs the worker should hold so that no slot stays empty: its slots, and one more for each job that waits, unless
   * no other job could start anyway.
   */
  get wanted(): number {
    const { memoryMb, millicpus, slots } = this.#budget
    const lonely = this.#waiting.filter(({ alone }) => alone).length + this.#withoutSlot
    // Who waits for one that is alone must be seen here: it may have to give way.
    if ([...this.#running].some(({ alone }) => alone)) return slots + Math.min(lonely + 1, MOST_WAITING)
    const isFull =
      this.#running.size >= slots ||
      memoryMb - this.#memoryMb < LEAST.memoryMb ||
      millicpus - this.#millicpus < LEAST.cpus * MILLI
    const bar = this.#waiting.find(({ passes }) => passes >= MOST_PASSES)
    if (bar?.alone) return slots + Math.min(lonely, MOST_WAITING)
    return slots + (isFull || bar ? 0 : Math.min(this.#waiting.length + this.#withoutSlot, MOST_WAITING))
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
        // Whoever could not pass it may come in now.
        this.#letIn()
      },
    }
    signal.addEventListener('abort', abort)
    this.#waiting.push(waiting)
    this.#letIn()
    await promise
    return () => this.#release(entry)
  }

  /** Lets in everyone who may come in now. */
  #letIn(): void {
    if (this.#closing.signal.aborted) return
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      next.letIn()
      for (const waiting of this.#waiting) {
        if (waiting.arrival < next.arrival && ++waiting.passes === MOST_PASSES) waiting.onBar?.()
      }
    }
  }

  /** The first that fits, in the order in which they came; those who are to be alone come last, unless they were passed enough. */
  #next(): Waiting | undefined {
    const isLast = ({ alone, passes }: Waiting) => alone && passes < MOST_PASSES
    const first = this.#waiting.filter((waiting) => !isLast(waiting))
    for (const waiting of [...first, ...this.#waiting.filter(isLast)]) {
      if (this.#fits(waiting)) return waiting
      if (waiting.passes >= MOST_PASSES) return undefined
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
