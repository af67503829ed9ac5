import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { SourceReport } from './check-source.ts'
import type { ThreadAnswer, ThreadRequest } from './check-thread.ts'

/** Bounds of the threads that parse. */
export interface ThreadOptions {
  /** Checks at once. */
  readonly threads: number
  /** Checks that may wait for a thread. */
  readonly waiting: number
  /** Longest check per started 256 Ki characters, in milliseconds; then its thread is ended and replaced. */
  readonly timeoutMs: number
  /** Heap of a thread in MiB, the parser's own memory aside; a check that needs more ends its thread. */
  readonly heapMb: number
}

/** What became of a request: reports on its files, or why there are none. */
export type ThreadOutcome =
  | { readonly reports: readonly SourceReport[]; readonly failure?: undefined }
  | { readonly failure: 'timeout' | 'died' | 'busy' | 'closed'; readonly reports?: undefined }

/** Loading the grammars takes a tenth of a second; a host that takes longer than this is ill. */
const START_MS = 20_000
/** The parser's memory never shrinks, so a thread that has seen a large source makes room for a fresh one. */
const LARGE = 256 * 1024

interface Task {
  readonly request: ThreadRequest
  settle(outcome: ThreadOutcome): void
}

/** Threads that check sources: hostile ones can hold, fill or kill a thread, and nothing else. */
export class CheckThreads {
  readonly #options: ThreadOptions
  readonly #waiting: Task[] = []
  readonly #threads = new Set<Worker>()
  #idle: Worker[] = []
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /**
   * Starts the threads.
   *
   * @throws if one does not get ready: a grammar is missing
   */
  async open(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.threads }, () => this.#start()))
  }

  /** Resolves for everything that a source can do; rejects only with the reason of `signal`. */
  run(request: ThreadRequest, signal?: AbortSignal): Promise<ThreadOutcome> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#closed) return resolve({ failure: 'closed' })
      if (this.#waiting.length >= this.#options.waiting) return resolve({ failure: 'busy' })
      const abort = () => {
        const place = this.#waiting.indexOf(task)
        if (place >= 0) this.#waiting.splice(place, 1)
        reject(signal?.reason)
      }
      const task: Task = {
        request,
        settle: (outcome) => {
          signal?.removeEventListener('abort', abort)
          resolve(outcome)
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.push(task)
      this.#next()
    })
  }

  /** Ends the threads; what waits is answered with `closed`. */
  async close(): Promise<void> {
    this.#closed = true
    for (const task of this.#waiting.splice(0)) task.settle({ failure: 'closed' })
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  #next(): void {
    const thread = this.#idle[0]
    const task = this.#waiting[0]
    if (thread === undefined || task === undefined) return
    this.#idle.shift()
    this.#waiting.shift()
    void this.#check(thread, task)
  }

  async #check(thread: Worker, task: Task): Promise<void> {
    const size = task.request.files.reduce((sum, { content }) => sum + content.length, 0)
    const answered = answer(thread, timeoutFor(size, this.#options.timeoutMs))
    thread.postMessage(task.request)
    const outcome = await answered
    task.settle(outcome === 'ready' ? { failure: 'died' } : outcome)
    if (outcome !== 'ready' && outcome.failure === undefined && size <= LARGE) this.#release(thread)
    else await this.#replace(thread)
  }

  #release(thread: Worker): void {
    this.#idle.push(thread)
    this.#next()
  }

  async #replace(thread: Worker): Promise<void> {
    await thread.terminate()
    // A host that cannot start a thread now may be able to in a while; what waits is told, not kept.
    while (!this.#closed) {
      try {
        return await this.#start()
      } catch {
        for (const task of this.#waiting.splice(0)) task.settle({ failure: 'died' })
        await new Promise((resolve) => setTimeout(resolve, 1_000).unref())
      }
    }
  }

  async #start(): Promise<void> {
    // Compiling the grammars a second time, for speed, took 500 MB for a second and made no check faster.
    setFlagsFromString('--no-wasm-dynamic-tiering')
    setFlagsFromString('--no-wasm-tier-up')
    const here = import.meta.url
    // Beside this file, as source in tests and compiled in the product.
    const entry = new URL(`./check-thread${here.endsWith('.ts') ? '.ts' : '.js'}`, here)
    // Nothing of this process is the thread's business; loaders of a test runner would break it.
    const thread = new Worker(entry, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, maxYoungGenerationSizeMb: 32 },
    })
    this.#threads.add(thread)
    thread.once('exit', () => {
      this.#threads.delete(thread)
      this.#idle = this.#idle.filter((other) => other !== thread)
    })
    // Kept for good: an `error` that nobody listens to would end the process.
    thread.on('error', () => {})
    thread.unref()
    const ready = await answer(thread, START_MS)
    if (ready !== 'ready') {
      await thread.terminate()
      throw new Error(
        `policy: the checking thread did not start (${ready.failure ?? 'answered out of turn'})`,
      )
    }
    if (this.#closed) await thread.terminate()
    else this.#release(thread)
  }
}

/** An honest MiB takes a second or two; a small source that takes as long is not honest. */
function timeoutFor(characters: number, timeoutMs: number): number {
  return timeoutMs * (1 + Math.floor(characters / LARGE))
}

/** The next thing that a thread says, or what ended it. */
function answer(thread: Worker, timeoutMs: number): Promise<'ready' | ThreadOutcome> {
  return new Promise((resolve) => {
    const settle = (outcome: 'ready' | ThreadOutcome) => {
      clearTimeout(timer)
      thread.off('message', say).off('error', die).off('exit', die)
      resolve(outcome)
    }
    const say = (said: ThreadAnswer) => settle(said === 'ready' ? said : { reports: said })
    const die = () => settle({ failure: 'died' })
    const timer = setTimeout(() => settle({ failure: 'timeout' }), timeoutMs)
    thread.on('message', say).on('error', die).on('exit', die)
  })
}
