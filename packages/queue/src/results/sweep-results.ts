import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { type Keys, resultsQueue } from '../redis/keys.ts'
import { healQueue, isRefusal } from '../redis/quarantine.ts'
import { readTime } from '../redis/redis-clock.ts'

/** Maximum number of results that one call removes, because it blocks Redis. */
const MAX_REMOVED = 1000

/** Lists and sets of a queue. Redis removes them when they are empty. */
const LISTS = [
  'wait',
  'paused',
  'active',
  'delayed',
  'prioritized',
  'waiting-children',
  'completed',
  'failed',
]
/** The other keys that BullMQ makes for a queue; they stay when it is empty. */
const BOOKKEEPING = ['meta', 'events', 'marker', 'id', 'pc', 'limiter', 'stalled', 'stalled-check']

/**
 * Removes a results queue that is empty, was not used within the time to live, and is not paused. One step, so that no publication
 * comes between. BullMQ then makes its keys again.
 *
 * KEYS: names of results queues. ARGV: the queue's name there, prefix of its keys, time to live in seconds.
 */
const FORGET_QUEUE = `
local name, prefix, ttl = ARGV[1], ARGV[2], ARGV[3]
local used = tonumber(redis.call('ZSCORE', KEYS[1], name) or 0)
local time = redis.call('TIME')
if used > (time[1] - ttl) * 1000 + time[2] / 1000 then return 0 end
for _, list in ipairs({${quoted(LISTS)}}) do
  if redis.call('EXISTS', prefix .. list) == 1 then return 0 end
end
if redis.call('HEXISTS', prefix .. 'meta', 'paused') == 1 then return 0 end
for _, key in ipairs({${quoted(BOOKKEEPING)}}) do redis.call('DEL', prefix .. key) end
redis.call('ZREM', KEYS[1], name)
return 1
`

/**
 * Removes results that were not consumed within the time to live, and then results queues that are empty and were not used for as
 * long.
 */
export async function sweepResults(redis: Redis, keys: Keys, ttlSeconds: number): Promise<void> {
  const oldest = (await readTime(redis)) - ttlSeconds * 1000
  const errors: unknown[] = []
  const names = await redis.zrange(keys.replyQueues, '0', '-1').catch(async (error: Error) => {
    if (!isRefusal(error)) throw error
    // Each further result adds the name of its queue again.
    await redis.unlink(keys.replyQueues)
    return []
  })
  for (const replyTo of names) {
    // A failure must not end the sweep of the others.
    await sweepResultsQueue(redis, keys, replyTo, oldest)
      .then(() =>
        redis.eval(FORGET_QUEUE, 1, keys.replyQueues, replyTo, keys.results(replyTo, ''), ttlSeconds),
      )
      .catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
}

async function sweepResultsQueue(redis: Redis, keys: Keys, replyTo: string, oldest: number) {
  const name = resultsQueue(replyTo)
  await healQueue(redis, keys.results(replyTo, ''))
  const states = await staleStates(redis, keys.results(replyTo, ''), oldest)
  if (states.length === 0) return
  const queue = new Queue(name, { connection: redis, prefix: keys.tag, skipMetasUpdate: true })
  queue.on('error', () => {})
  for (const state of states) {
    // BullMQ subtracts the grace from the clock of this host, which may be wrong.
    while ((await queue.clean(Date.now() - oldest, MAX_REMOVED, state)).length === MAX_REMOVED);
  }
  await queue.close()
}

/** States in which a results queue may have stale results: never taken, waiting for a retry, left by a dead consumer, or dead. */
async function staleStates(
  redis: Redis,
  prefix: string,
  oldest: number,
): Promise<('wait' | 'delayed' | 'active' | 'failed')[]> {
  const [head, delayed, active, failed] = await Promise.all([
    redis.lindex(`${prefix}wait`, -1),
    redis.zcard(`${prefix}delayed`),
    redis.llen(`${prefix}active`),
    redis.zcard(`${prefix}failed`),
  ])
  const isStale = head !== null && Number(await redis.hget(`${prefix}${head}`, 'timestamp')) <= oldest
  return [
    ...(isStale ? (['wait'] as const) : []),
    ...(delayed > 0 ? (['delayed'] as const) : []),
    // BullMQ keeps active results with a lock: a consumer handles them.
    ...(active > 0 ? (['active'] as const) : []),
    // Dead results, by the time since they were given up.
    ...(failed > 0 ? (['failed'] as const) : []),
  ]
}

/** The elements of a Lua table. */
function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}
