import type { Worker } from 'node:worker_threads'
import { type AskBounds, ask, type ThreadOutcome } from './ask.ts'

/** How a pool comes by its threads. */
export interface ThreadPoolOptions {
  /** Threads at once. One of them is left to light requests if there are two or more. */
  readonly size: number
  /** Starts a thread; see `startThread`. */
  readonly start: () => Promise<Worker>
  /** CPU time, in milliseconds, after which all requests of an account count as heavy. */
  readonly lightMs: number
}

/** Whom requests are charged to. The pool adds the CPU time of each request to `cpuMs`. */
export interface Account {
  /** Accounts of one group share the pool with those of others as if they were one. */
  readonly group: string
  cpuMs: number
}

/** One question for a pool. */
export interface PoolRequest<Request> {
  readonly request: Request
  /** Of one account there is one request at a time. */
  readonly account: Account
  /** Known to take long or to need much memory: its thread is ended after it, and one is left to others. */
  readonly heavy: boolean
  readonly bounds: AskBounds
  readonly signal?: AbortSignal | undefined
}

/** What a request that waits or runs is rejected with when its pool closes. */
export class PoolClosedError extends Error {
  override readonly name = 'PoolClosedError'
}

interface Entry<Request, Answer> extends PoolRequest<Request> {
  readonly settled: PromiseWithResolvers<ThreadOutcome<Answer>>
}

/**
 * Threads for questions of many. Next comes the group with the fewest threads, of it the account that has used the least, then
 * the one that has waited longest; heavy requests never have the last thread.
 */
export class ThreadPool<Request, Answer> {
  readonly #options: ThreadPoolOptions
  readonly #closing = new AbortController()
  readonly #idle = new Set<Worker>()
  readonly #running = new Set<Entry<Request, Answer>>()
  #waiting: Entry<Request, Answer>[] = []

  constructor(options: ThreadPoolOptions) {
    this.#options = options
  }

  /**
   * Resolves with the answer, or with why there is none.
   *
   * @throws {PoolClosedError} once the pool is closed, and the reason of `signal` when that aborts
   */
  async run(request: PoolRequest<Request>): Promise<ThreadOutcome<Answer>> {
    const signal = AbortSignal.any([this.#closing.signal, ...(request.signal ? [request.signal] : [])])
    signal.throwIfAborted()
    const settled = Promise.withResolvers<ThreadOutcome<Answer>>()
    const entry = { ...request, signal, settled }
    const leave = () => {
      // One that runs is ended by its thread's end.
      if (this.#running.has(entry)) return
      this.#waiting = this.#waiting.filter((other) => other !== entry)
      settled.reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#waiting.push(entry)
    this.#fill()
    try {
      return await settled.promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Ends the threads; what waits or runs is rejected. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort(new PoolClosedError('the pool of threads is closed'))
    await Promise.all([...this.#idle].map((thread) => thread.terminate()))
  }

  #fill(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const chosen = next
      this.#waiting = this.#waiting.filter((entry) => entry !== chosen)
      this.#running.add(chosen)
      void this.#serve(chosen)
    }
  }

  /** The request that is to have a thread now; undefined if none may. */
  #next(): Entry<Request, Answer> | undefined {
    const free = this.#options.size - this.#running.size
    if (free <= 0) return undefined
    const running = [...this.#running]
    const isLast = free === 1 && this.#options.size > 1
    const threadsOf = (group: string) => running.filter(({ account }) => account.group === group).length
    // The sort is stable: those that are equal stay as they came.
    const [first] = this.#waiting
      .filter((entry) => running.every(({ account }) => account !== entry.account))
      .filter((entry) => !isLast || !this.#isHeavy(entry))
      .toSorted(
        ({ account: one }, { account: other }) =>
          threadsOf(one.group) - threadsOf(other.group) || one.cpuMs - other.cpuMs,
      )
    return first
  }

  #isHeavy({ heavy, account }: Entry<Request, Answer>): boolean {
    return heavy || account.cpuMs > this.#options.lightMs
  }

  async #serve(entry: Entry<Request, Answer>): Promise<void> {
    const { request, account, bounds, signal, settled } = entry
    let thread: Worker | undefined
    let isKept = false
    try {
      thread = await this.#thread()
      const outcome: ThreadOutcome<Answer> =
        thread === undefined
          ? { failure: 'died', cpuMs: 0, progress: undefined }
          : await ask<Request, Answer>(thread, request, bounds, signal)
      account.cpuMs += outcome.cpuMs
      // What a heavy one needed would stay with its thread.
      isKept = outcome.failure === undefined && !entry.heavy && !this.#closing.signal.aborted
      settled.resolve(outcome)
    } catch (error) {
      settled.reject(error)
    }
    if (thread !== undefined && isKept) this.#idle.add(thread)
    else await thread?.terminate()
    this.#running.delete(entry)
    this.#fill()
  }

  /** Undefined if the host cannot start one now; it may be able to for the next request. */
  async #thread(): Promise<Worker | undefined> {
    const [idle] = this.#idle
    if (idle !== undefined) {
      this.#idle.delete(idle)
      return idle
    }
    const thread = await this.#options.start().catch(() => undefined)
    thread?.once('exit', () => this.#idle.delete(thread))
    return thread
  }
}
