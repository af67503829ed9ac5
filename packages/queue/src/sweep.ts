import { TerminalError } from '@isopod/protocol'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { GiveUp } from './delivery.ts'
import { isSafeId } from './job-id.ts'
import { type Keys, resultsQueue } from './keys.ts'
import type { Publisher } from './publisher.ts'
import { healQueue, isRefusal } from './quarantine.ts'
import { readStoredJob } from './stored-job.ts'

const BATCH = 100
/** A sweep ends after so many failed jobs that it could not remove. */
const MOST_LEFT = 10_000
/** Results that one call removes; BullMQ blocks Redis for its length. */
const BATCH_RESULTS = 1000

/** What is said of a job that BullMQ failed; its own reason can quote the job. */
const FAILED = 'the queue failed the job'

/** What the sweeps work with. */
export interface SweepParts {
  readonly redis: Redis
  readonly keys: Keys
  readonly jobs: Queue
  readonly publisher: Publisher
  readonly giveUp: GiveUp
}

/**
 * The outbox of last resort: publishes a result for each job that BullMQ failed by itself (an outage between a result and
 * the completion of its job can do that), then removes the job. Running it twice at once does no harm.
 *
 * @returns how many jobs were removed
 */
export async function sweepFailedJobs(parts: SweepParts): Promise<number> {
  const { redis, keys } = parts
  // BullMQ would remove what lies under an id that is a name of its own: all jobs that wait, for example.
  await healQueue(redis, keys.job(''))
  const trouble: unknown[] = []
  let removed = 0
  /** Jobs that stay; the next page starts behind them. */
  let left = 0
  while (left < MOST_LEFT) {
    const ids = await redis.zrange(keys.jobs('failed'), String(left), String(left + BATCH - 1))
    if (ids.length === 0) break
    for (const id of ids) {
      const isRemoved = await sweepFailedJob(parts, id).catch((error: unknown) => {
        trouble.push(error)
        return false
      })
      if (isRemoved) removed += 1
      else left += 1
    }
  }
  if (trouble.length > 0) throw trouble[0]
  return removed
}

async function sweepFailedJob({ redis, keys, jobs, publisher, giveUp }: SweepParts, id: string) {
  const stored = isSafeId(id) ? await readStoredJob(redis, keys, id) : undefined
  if (stored !== undefined) {
    const { attempt, enqueuedAt, job, replyTo, failedReason } = stored
    const start = { id, attempt, enqueuedAt }
    const cause = new TerminalError(failedReason || FAILED, { publicMessage: FAILED })
    const result = giveUp(job === undefined ? start : { ...start, job }, cause)
    // Fenced means that it was started again meanwhile, so it is not in the failed set any more.
    const outgoing = { result, attempt, replyTo, callbackUrl: job?.callbackUrl }
    if ((await publisher.publish(outgoing)) === 'fenced') return false
  }
  // BullMQ refuses to remove a job that is locked or has children. A failed job is not running, and ours have no children.
  if (isSafeId(id)) await jobs.remove(id).catch(() => redis.unlink(keys.job(id)))
  await redis.zrem(keys.jobs('failed'), id)
  return true
}

/** Removes results that nobody took from their queue within the time to live, and forgets queues without any. */
export async function sweepStaleResults(parts: SweepParts, ttlSeconds: number): Promise<void> {
  const { redis, keys } = parts
  const oldest = Date.now() - ttlSeconds * 1000
  const trouble: unknown[] = []
  const names = await redis.zrange(keys.replyQueues, '0', '-1').catch(async (error: Error) => {
    if (!isRefusal(error)) throw error
    // Each further result enters its queue again.
    await redis.unlink(keys.replyQueues)
    return []
  })
  for (const replyTo of names) {
    // One that cannot be swept must not keep the others from it.
    await sweepResultsQueue(parts, replyTo, ttlSeconds).catch((error: unknown) => trouble.push(error))
  }
  // A name without a result for so long is forgotten; one that still holds some was given one since.
  await redis.zremrangebyscore(keys.replyQueues, 0, oldest)
  if (trouble.length > 0) throw trouble[0]
}

async function sweepResultsQueue({ redis, keys }: SweepParts, replyTo: string, ttlSeconds: number) {
  const name = resultsQueue(replyTo)
  await healQueue(redis, `${keys.tag}:${name}:`)
  const states = await staleStates(redis, `${keys.tag}:${name}`, Date.now() - ttlSeconds * 1000)
  if (states.length === 0) return
  const queue = new Queue(name, { connection: redis, prefix: keys.tag, skipMetasUpdate: true })
  queue.on('error', () => {})
  for (const state of states) {
    while ((await queue.clean(ttlSeconds * 1000, BATCH_RESULTS, state)).length === BATCH_RESULTS);
  }
  await queue.close()
}

/** Where a results queue may hold some that are too old: taken by nobody, to be tried again, or left by a consumer that died. */
async function staleStates(
  redis: Redis,
  queue: string,
  oldest: number,
): Promise<('wait' | 'delayed' | 'active')[]> {
  const [head, delayed, active] = await Promise.all([
    redis.lindex(`${queue}:wait`, -1),
    redis.zcard(`${queue}:delayed`),
    redis.llen(`${queue}:active`),
  ])
  const isStale = head !== null && Number(await redis.hget(`${queue}:${head}`, 'timestamp')) <= oldest
  return [
    ...(isStale ? (['wait'] as const) : []),
    ...(delayed > 0 ? (['delayed'] as const) : []),
    // Those with a lock stay: somebody handles them.
    ...(active > 0 ? (['active'] as const) : []),
  ]
}

/**
 * Makes a job readable whose stored form is not JSON: BullMQ could not even hand it out, and would try for ever.
 * What it then hands out is refused like any invalid job.
 */
export async function repairJob(redis: Redis, keys: Keys, id: string): Promise<void> {
  const key = keys.job(id)
  const [data, opts, progress, parent] = await redis.hmget(key, 'data', 'opts', 'progress', 'parent')
  if (data != null && !isJson(data)) await redis.hset(key, 'data', 'null')
  if (opts != null && !isJsonObject(opts)) await redis.hset(key, 'opts', '{}')
  if (progress != null && !isJson(progress)) await redis.hdel(key, 'progress')
  if (parent != null && !isJson(parent)) await redis.hdel(key, 'parent', 'parentKey')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isJsonObject(text: string): boolean {
  return isJson(text) && text.trimStart().startsWith('{')
}
