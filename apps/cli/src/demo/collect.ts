import type { Result } from '@isopod/protocol'
import type { JobClient } from '../job-client.ts'

/** Name of the results queue that the demo takes its results from. */
export const DEMO_QUEUE = 'demo'

/** How often stored results are read beside the queue, in milliseconds. */
const POLL_MS = 1_000

/**
 * Takes the results of these jobs off the demo's results queue.
 *
 * @param onResult called once per job, in the order in which they end
 * @returns id → result, once all are there
 * @throws the signal's reason if it is aborted before
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
    // An earlier demo that was interrupted may have left some in the queue.
    if (!ids.includes(result.id) || results.has(result.id)) return
    results.set(result.id, result)
    onResult(result)
    if (results.size === ids.length) complete.resolve()
  }
  const onAbort = () => complete.reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const taker = await client.results(async (result) => take(result), { replyTo: DEMO_QUEUE, concurrency: 1 })
  // A queue has one taker per result: of two demos at once, one may take what the other waits for.
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
    await taker.close()
  }
}
