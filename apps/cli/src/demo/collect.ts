import type { Result } from '@isopod/protocol'
import type { JobClient } from '../job-client.ts'

/** Name of the demo's results queue. */
export const DEMO_QUEUE = 'demo'

/** How often stored results are polled in addition to the queue, in milliseconds. */
const POLL_MS = 1_000

/**
 * Collects the results of these jobs from the demo's results queue.
 *
 * @param onResult called once per job, in the order in which they end
 * @returns id → result, once all have arrived
 * @throws the signal's reason if it aborts first
 */
export async function collectResults(
  client: JobClient,
  ids: readonly string[],
  onResult: (result: Result) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Result>> {
  const results = new Map<string, Result>()
  const complete = Promise.withResolvers<void>()
  const take = (result: Result) => {
    // An interrupted demo may have left results in the queue.
    if (!ids.includes(result.id) || results.has(result.id)) return
    results.set(result.id, result)
    onResult(result)
    if (results.size === ids.length) complete.resolve()
  }
  const onAbort = () => complete.reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const consumer = client.results(async (result) => take(result), {
    replyTo: DEMO_QUEUE,
    concurrency: 1,
  })
  // Each result goes to one consumer: a concurrent demo may receive the results of this one.
  const poll = setInterval(() => {
    for (const id of ids) {
      if (!results.has(id)) client.result(id).then((result) => result && take(result), complete.reject)
    }
  }, POLL_MS)
  try {
    await complete.promise
    return results
  } finally {
    clearInterval(poll)
    signal.removeEventListener('abort', onAbort)
    await consumer.close()
  }
}
