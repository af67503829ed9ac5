import { Worker } from 'node:worker_threads'
import type { ThreadMessage } from './messages.ts'

/** What a thread is started with. */
export interface ThreadOptions {
  /** The module that calls `serve`. */
  readonly entry: URL
  /** Heap in MiB; work that needs more ends the thread. What is outside of V8's heap does not count. */
  readonly heapMb: number
  /** MiB of the heap for young objects. */
  readonly youngMb: number
  /** How long it may take to get ready, in milliseconds: a host that takes longer is ill. @default 20000 */
  readonly startMs?: number
}

/**
 * Starts a thread that nothing keeps from its work but its bounds, and waits until it is ready.
 *
 * @throws if it does not get ready
 */
export async function startThread({
  entry,
  heapMb,
  youngMb,
  startMs = 20_000,
}: ThreadOptions): Promise<Worker> {
  // Nothing of this process is the thread's business; loaders of a test runner would break it.
  const thread = new Worker(entry, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
  })
  // Kept for good: an `error` that nobody listens to would end the process.
  thread.on('error', () => {})
  thread.unref()
  const problem = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve('took too long'), startMs)
    const settle = (how: string | undefined) => {
      clearTimeout(timer)
      thread.off('message', hear).off('error', fail).off('exit', end)
      resolve(how)
    }
    const hear = (message: ThreadMessage<unknown>) =>
      settle(message === 'ready' ? undefined : 'answered out of turn')
    const fail = (error: Error) => settle(error.message)
    const end = () => settle('ended')
    thread.on('message', hear).on('error', fail).on('exit', end)
  })
  if (problem === undefined) return thread
  await thread.terminate()
  throw new Error(`the thread ${entry.pathname.split('/').at(-1)} did not start: ${problem}`)
}
