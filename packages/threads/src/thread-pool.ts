import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import PQueue from 'p-queue'
import { Piscina } from 'piscina'
import { SHARED, type TaskMessage, type TaskReply } from './bounded-task.ts'

/** Options of a {@link ThreadPool}. */
export interface ThreadPoolOptions {
  /** Module that exports the task. */
  readonly entry: URL
  /** Name of the exported function, made by `boundedTask`. */
  readonly task: string
  /** Maximum number of threads; each is started when a task needs it. */
  readonly size: number
  /** Whether idle threads stay. Otherwise a thread ends when no task waits, which frees the memory of its tasks. */
  readonly keepsIdle: boolean
  /** Heap in MiB; a task that needs more ends its thread. Memory outside of V8's heap does not count. */
  readonly heapMb: number
  /** MiB of the heap for young objects. */
  readonly youngMb: number
  /** Maximum number of waiting tasks. @default unlimited */
  readonly maxWaiting?: number
  /** Timeout for the start of a thread, in milliseconds. @default 20000 */
  readonly startMs?: number
}

/** Bounds of one task and its place in the queue. */
export interface TaskOptions {
  /** Maximum CPU time of the task, in milliseconds. Node before 24.6 cannot measure it, so that only `wallMs` applies. */
  readonly cpuMs: number
  /** Maximum wall-clock time of the task, in milliseconds; a thread that was starved for so long would hardly finish. */
  readonly wallMs: number
  /** Maximum wait for a thread, in milliseconds. @default unlimited */
  readonly waitMs?: number
  /** The waiting task with the highest priority is next; among equal ones the oldest. @default 0 */
  readonly priority?: number
  /** Removes the task from the queue, or ends its thread. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Why a task has no answer. Caused by the task: `cpu`, `memory` (it exceeded a bound) and `died` (it threw, or ended its thread).
 * Caused by the host: `starved` (no processor time for the thread), `unstarted` (no thread), `busy` (too many tasks wait), `late`
 * (it waited too long) and `closed`.
 */
export type TaskFailure = 'cpu' | 'memory' | 'died' | 'starved' | 'unstarted' | 'busy' | 'late' | 'closed'

/** How a task ended, with the CPU time that it used, in milliseconds. */
export type TaskOutcome<Answer> =
  | { readonly answer: Answer; readonly cpuMs: number; readonly failure?: undefined }
  | {
      readonly failure: TaskFailure
      readonly cpuMs: number
      /** The last progress that the task reported; 0 before the first report. */
      readonly progress: number
      /** What the thread threw, if it did. */
      readonly cause?: unknown
      readonly answer?: undefined
    }

/** Maximum delay of a timer, about 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** Node before 24.6 cannot measure the CPU time of a thread. */
const CAN_MEASURE = 'cpuUsage' in Worker.prototype
/** How often the CPU time of a running task is read, in milliseconds. */
const CPU_POLL_MS = 100

/** Worker threads for tasks with untrusted input. A task can exhaust only its own thread. */
export class ThreadPool<Request, Answer> {
  readonly #threads: Piscina<TaskMessage<Request>, TaskReply<Answer>>
  // Piscina ignores the order of its queue for tasks with a signal.
  readonly #queue: PQueue
  readonly #maxWaiting: number
  readonly #startMs: number
  readonly #closing = new AbortController()

  constructor({
    entry,
    task,
    size,
    keepsIdle,
    heapMb,
    youngMb,
    maxWaiting = Infinity,
    startMs = 20_000,
  }: ThreadPoolOptions) {
    this.#threads = new Piscina({
      filename: fileURLToPath(entry),
      name: task,
      minThreads: 0,
      maxThreads: size,
      idleTimeout: keepsIdle ? Infinity : 0,
      recordTiming: false,
      // Threads inherit no environment and no loaders; those of a test runner would break them.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
    })
    // Without a listener, a thread that fails while it is idle would end the process.
    this.#threads.on('error', () => {})
    this.#queue = new PQueue({ concurrency: size })
    this.#maxWaiting = maxWaiting
    this.#startMs = startMs
  }

  /**
   * Runs a task in a thread.
   *
   * @throws the reason of `signal` when that aborts
   */
  async run(request: Request, options: TaskOptions): Promise<TaskOutcome<Answer>> {
    const { cpuMs, wallMs, waitMs, priority = 0, signal } = options
    signal?.throwIfAborted()
    const shared = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))
    let usedMs: number | undefined
    const failed = (failure: TaskFailure, cause?: unknown): TaskOutcome<Answer> => {
      return { failure, cause, cpuMs: usedMs ?? 0, progress: Atomics.load(shared, SHARED.progress) }
    }
    if (this.#closing.signal.aborted) return failed('closed')
    if (this.#queue.size >= this.#maxWaiting) return failed('busy')

    // The reason of its abort is the outcome.
    const ending = new AbortController()
    const end = (failure: TaskFailure, cause?: unknown) => ending.abort(failed(failure, cause))
    const signals = [ending.signal, ...(signal ? [signal] : [])]
    const isStarted = () => Atomics.load(shared, SHARED.thread) > 0
    const onThreadError = (error: unknown) => void (isStarted() || end('unstarted', error))
    const late = setTimeout(() => end('late'), waitMs ?? MAX_TIMER_MS)
    let cpuPoll: NodeJS.Timeout | undefined
    const serve = async () => {
      clearTimeout(late)
      const givenAt = performance.now()
      let startedAt: number | undefined
      // Piscina bounds only wall-clock time, which says nothing about the task on a busy host.
      const pollCpu = async () => {
        const now = performance.now()
        if (isStarted()) startedAt ??= now
        else if (now - givenAt > this.#startMs)
          end('unstarted', new Error('the thread took too long to start'))
        if (startedAt !== undefined && now - startedAt > wallMs) end(CAN_MEASURE ? 'starved' : 'cpu')
        usedMs = await cpuMsSince(shared, this.#thread(shared))
        if (usedMs !== undefined && usedMs > cpuMs) end('cpu')
      }
      cpuPoll = setInterval(pollCpu, CPU_POLL_MS)
      this.#threads.on('error', onThreadError)
      return await this.#threads.run({ request, shared }, { signal: AbortSignal.any(signals) })
    }
    try {
      const queued = AbortSignal.any([...signals, this.#closing.signal])
      return await this.#queue.add(serve, { priority, signal: queued })
    } catch (error) {
      signal?.throwIfAborted()
      if (ending.signal.aborted) return ending.signal.reason
      if (this.#closing.signal.aborted) return failed('closed')
      // After a throw the state of the thread is unknown.
      await this.#thread(shared)?.terminate()
      return failed(isOutOfMemory(error) ? 'memory' : 'died', error)
    } finally {
      clearTimeout(late)
      clearInterval(cpuPoll)
      this.#threads.off('error', onThreadError)
    }
  }

  /** Ends the threads and waits until they have ended; open tasks fail with `closed`. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#threads.destroy()
  }

  /** The thread that works on a task. */
  #thread(shared: Int32Array): Worker | undefined {
    return this.#threads.threads.find(({ threadId }) => threadId === Atomics.load(shared, SHARED.thread))
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

/** CPU time that a task has used so far, in milliseconds; undefined if that cannot be measured, or not yet. */
async function cpuMsSince(shared: Int32Array, thread: Worker | undefined): Promise<number | undefined> {
  try {
    const usage = await thread?.cpuUsage()
    return usage && (usage.user + usage.system) / 1000 - Atomics.load(shared, SHARED.cpuAtStart)
  } catch {
    // The thread has ended, or cannot be measured.
    return undefined
  }
}
