import { parentPort } from 'node:worker_threads'
import type { ThreadMessage } from './messages.ts'

/**
 * Answers questions in a thread, one after the other, and says that it is ready.
 *
 * @param answer may throw: that ends the thread, and the question is answered with `died`
 * @throws outside of a worker thread
 */
export function serve<Request, Answer>(
  answer: (request: Request, progress: (done: number) => void) => Answer | Promise<Answer>,
): void {
  const port = parentPort
  if (port === null) throw new Error('serve: runs in a worker thread only')
  const say = (message: ThreadMessage<Answer>) => port.postMessage(message)
  port.on('message', async (request: Request) => {
    const before = cpuTime()
    const value = await answer(request, (done) => say({ progress: done }))
    say({ answer: { value, cpuMs: cpuTime() - before } })
  })
  say('ready')
}

/** CPU time of this thread in milliseconds; 0 where Node cannot tell it (before 23.9). */
function cpuTime(): number {
  if (typeof process.threadCpuUsage !== 'function') return 0
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
