import { threadId } from 'node:worker_threads'

/** Indices of the memory that a task shares with the pool, which a thread can write without yielding. */
export const SHARED = { thread: 0, progress: 1, cpuAtStart: 2 } as const

/** The message to a thread. */
export interface TaskMessage<Request> {
  readonly request: Request
  /** See {@link SHARED}. */
  readonly shared: Int32Array
}

/** The reply of a thread. */
export interface TaskReply<Answer> {
  readonly answer: Answer
  /** CPU time of the task in milliseconds; 0 before Node 23.9, which cannot measure it. */
  readonly cpuMs: number
}

/**
 * Makes the function that a {@link ThreadPool}'s entry module exports.
 *
 * @param work may report its progress as a number; if it throws, the task fails with `died` and its thread ends
 */
export function boundedTask<Request, Answer>(
  work: (request: Request, progress: (done: number) => void) => Answer | Promise<Answer>,
): (message: TaskMessage<Request>) => Promise<TaskReply<Answer>> {
  return async ({ request, shared }) => {
    const before = threadCpuMs()
    Atomics.store(shared, SHARED.cpuAtStart, before)
    Atomics.store(shared, SHARED.thread, threadId)
    const answer = await work(request, (done) => void Atomics.store(shared, SHARED.progress, done))
    return { answer, cpuMs: threadCpuMs() - before }
  }
}

function threadCpuMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return 0
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
