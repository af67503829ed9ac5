import type { Worker } from 'node:worker_threads'
import { ask, type ThreadFailure, type ThreadOutcome } from '@isopod/threads'
import type { SourceReport } from './check-source.ts'
import type { ThreadRequest } from './check-thread.ts'

/** Bounds of a lane. */
export interface LaneOptions {
  /** Checks that may wait for their turn. */
  readonly waiting: number
  /** Longest wait, in milliseconds. */
  readonly waitMs: number
  /** CPU time of a check per started 256 Ki characters, in milliseconds; then its thread is ended. */
  readonly cpuMs: number
}

/** How a lane comes by its threads, and whether it keeps them. */
export interface LaneThreads {
  /** Starts a thread. */
  readonly start: () => Promise<Worker>
  /** Whether a thread serves many checks; otherwise each check has one of its own. */
  readonly kept: boolean
}

/**
 * What became of a request: reports on its files, or why there are none. `cpu`, `memory`, `died`: the sources did it, `at` the
 * one with that number, if it is known. The others are matters of the host: it had no time for the thread (`starved`), could
 * not start one, had too many checks waiting (`busy`) or for too long (`late`), or is stopping (`closed`).
 */
export type CheckOutcome =
  | { readonly reports: readonly SourceReport[]; readonly failure?: undefined }
  | { readonly failure: CheckFailure; readonly at?: number | undefined; readonly reports?: undefined }

/** Why there are no reports. */
export type CheckFailure = ThreadFailure | 'unstarted' | 'busy' | 'late' | 'closed'

/** Characters that `cpuMs` is for. */
const PORTION = 256 * 1024
/** Wall clock that a check may take, per millisecond of CPU time: what is starved for longer is hopeless. */
const WALL_FACTOR = 10

interface Waiting {
  readonly size: number
  /** Ends the wait. */
  go(failure?: 'closed'): void
}

/** One check at a time; the smallest of those that wait comes first, so that no heap of large ones delays it. */
export class CheckLane {
  readonly #options: LaneOptions
  readonly #threads: LaneThreads
  #waiting: Waiting[] = []
  #thread: Promise<Worker> | undefined
  #busy = false
  #closed = false

  constructor(options: LaneOptions, threads: LaneThreads) {
    this.#options = options
    this.#threads = threads
  }

  /**
   * Starts the thread ahead of the first check.
   *
   * @throws if it does not get ready
   */
  async open(): Promise<void> {
    await this.#ready()
  }

  /** Resolves for everything that a source can do; rejects only with the reason of `signal`, and ends the thread then. */
  async run(request: ThreadRequest, signal?: AbortSignal): Promise<CheckOutcome> {
    signal?.throwIfAborted()
    const size = sizeOf(request)
    const refused = await this.#turn(size, signal)
    if (refused !== undefined) return { failure: refused }
    try {
      return await this.#check(request, size, signal)
    } finally {
      this.#next()
    }
  }

  /** Ends the thread; what waits or runs is answered with `closed`. */
  async close(): Promise<void> {
    this.#closed = true
    for (const waiting of [...this.#waiting]) waiting.go('closed')
    await this.#end()
  }

  async #turn(size: number, signal?: AbortSignal): Promise<'busy' | 'late' | 'closed' | undefined> {
    if (this.#closed) return 'closed'
    if (this.#waiting.length >= this.#options.waiting) return 'busy'
    if (!this.#busy) {
      this.#busy = true
      return undefined
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
      }
      const end = (failure?: 'late' | 'closed') => {
        leave()
        resolve(failure)
      }
      const abort = () => {
        leave()
        reject(signal?.reason)
      }
      const waiting: Waiting = { size, go: end }
      const timer = setTimeout(() => end('late'), this.#options.waitMs)
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.push(waiting)
    })
  }

  #next(): void {
    const [smallest] = this.#waiting.toSorted((a, b) => a.size - b.size)
    if (smallest === undefined) this.#busy = false
    else smallest.go()
  }

  async #check(request: ThreadRequest, size: number, signal?: AbortSignal): Promise<CheckOutcome> {
    const cpuMs = this.#options.cpuMs * (1 + Math.floor(size / PORTION))
    let outcome: ThreadOutcome<readonly SourceReport[]> | undefined
    try {
      // A host that cannot start a thread now may be able to for the next check.
      const thread = await this.#ready().catch(() => undefined)
      const bounds = { cpuMs, wallMs: cpuMs * WALL_FACTOR }
      if (thread !== undefined && !this.#closed) outcome = await ask(thread, request, bounds, signal)
    } finally {
      if (outcome?.answer === undefined || !this.#threads.kept) await this.#end()
      if (this.#threads.kept && !this.#closed) void this.#ready().catch(() => {})
    }
    if (this.#closed) return { failure: 'closed' }
    if (outcome === undefined) return { failure: 'unstarted' }
    const { failure } = outcome
    return failure === undefined ? { reports: outcome.answer } : { failure, at: outcome.progress }
  }

  /** The thread; a new one where there is none, or where the last one died. */
  #ready(): Promise<Worker> {
    if (this.#thread !== undefined) return this.#thread
    const thread = this.#threads.start()
    this.#thread = thread
    const forget = () => {
      if (this.#thread === thread) this.#thread = undefined
    }
    thread.then((started) => started.once('exit', forget), forget)
    return thread
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await thread?.then(
      (started) => started.terminate(),
      () => {},
    )
  }
}

/** Characters of a request. */
export function sizeOf({ files }: ThreadRequest): number {
  return files.reduce((sum, { content }) => sum + content.length, 0)
}
