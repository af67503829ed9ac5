import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { type Keys, resultsQueue } from '../redis/keys.ts'
import { healQueue, isRefusal } from '../redis/quarantine.ts'

/** Maximum number of results that one call removes, because it blocks Redis. */
const MAX_REMOVED = 1000

/** Removes results that were not consumed within the time to live, and the names of unused results queues. */
export async function sweepResults(redis: Redis, keys: Keys, ttlSeconds: number): Promise<void> {
  const oldest = Date.now() - ttlSeconds * 1000
  const errors: unknown[] = []
  const names = await redis.zrange(keys.replyQueues, '0', '-1').catch(async (error: Error) => {
    if (!isRefusal(error)) throw error
    // Each further result adds the name of its queue again.
    await redis.unlink(keys.replyQueues)
    return []
  })
  for (const replyTo of names) {
    // A failure must not end the sweep of the others.
    await sweepResultsQueue(redis, keys, replyTo, ttlSeconds).catch((error: unknown) => errors.push(error))
  }
  await redis.zremrangebyscore(keys.replyQueues, 0, oldest)
  if (errors.length > 0) throw errors[0]
}

async function sweepResultsQueue(redis: Redis, keys: Keys, replyTo: string, ttlSeconds: number) {
  const name = resultsQueue(replyTo)
  await healQueue(redis, keys.results(replyTo, ''))
  const states = await staleStates(redis, keys.results(replyTo, ''), Date.now() - ttlSeconds * 1000)
  if (states.length === 0) return
  const queue = new Queue(name, { connection: redis, prefix: keys.tag, skipMetasUpdate: true })
  queue.on('error', () => {})
  for (const state of states) {
    while ((await queue.clean(ttlSeconds * 1000, MAX_REMOVED, state)).length === MAX_REMOVED);
  }
  await queue.close()
}

/** States in which a results queue may have stale results: never taken, waiting for a retry, or left by a dead consumer. */
async function staleStates(
  redis: Redis,
  prefix: string,
  oldest: number,
): Promise<('wait' | 'delayed' | 'active')[]> {
  const [head, delayed, active] = await Promise.all([
    redis.lindex(`${prefix}wait`, -1),
    redis.zcard(`${prefix}delayed`),
    redis.llen(`${prefix}active`),
  ])
  const isStale = head !== null && Number(await redis.hget(`${prefix}${head}`, 'timestamp')) <= oldest
  return [
    ...(isStale ? (['wait'] as const) : []),
    ...(delayed > 0 ? (['delayed'] as const) : []),
    // BullMQ keeps active results with a lock: a consumer handles them.
    ...(active > 0 ? (['active'] as const) : []),
  ]
}
