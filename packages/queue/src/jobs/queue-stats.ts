import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import { type QuarantineCounts, readQuarantine } from '../redis/quarantine.ts'
import { readTime } from '../redis/redis-clock.ts'
import { readUntaken, type Untaken } from '../results/untaken-results.ts'
import { predictWait, readPaces } from '../workers/worker-pace.ts'
import { readSlots, slotsOfLiving } from '../workers/worker-slots.ts'

/** Counts of the jobs queue. */
export interface QueueStats {
  /** Waiting again after a start, or added without a turn; they run first. */
  readonly waiting: number
  readonly active: number
  /** Waiting for their next attempt. */
  readonly delayed: number
  /** Waiting for their turn. */
  readonly prioritized: number
  /** Failed by the queue itself and not yet swept; normally 0. */
  readonly failed: number
  /** Age of the next job, with or without a priority, whichever is older; 0 if none waits. */
  readonly oldestWaitingAgeSeconds: number
  /** Workers that take jobs, and their slots in total. */
  readonly workers: number
  readonly slots: number
  /**
   * How long a job that is submitted now would wait, in seconds: from the waiting jobs, the slots of live workers, and how long
   * recent jobs took. Null if no worker is alive, or none has run a job.
   */
  readonly predictedWaitSeconds: number | null
  /** Results that nobody has taken, as a worker measured them within the last ten minutes. */
  readonly untaken: Untaken
  /** Counts of the quarantine. */
  readonly quarantined: QuarantineCounts
}

/** Counts of all results queues together; `failed` are dead results. */
export type ResultCounts = Readonly<Record<'waiting' | 'active' | 'delayed' | 'failed', number>>

/** Counts for a worker's metrics. */
export interface WorkerStats extends QueueStats {
  readonly results: ResultCounts
}

/** Counts jobs and queued results by state. */
export async function readWorkerStats(redis: Redis, keys: Keys): Promise<WorkerStats> {
  const [stats, results] = await Promise.all([readStats(redis, keys), countResults(redis, keys)])
  return { ...stats, results }
}

async function countResults(redis: Redis, keys: Keys): Promise<ResultCounts> {
  const names = await redis.zrange(keys.replyQueues, '0', '-1').catch(() => [])
  const count = async (command: 'llen' | 'zcard', list: string) => {
    const replies = await redis.pipeline(names.map((name) => [command, keys.results(name, list)])).exec()
    return (replies ?? []).reduce((sum, [error, length]) => sum + (error ? 0 : Number(length)), 0)
  }
  const [waiting, active, delayed, failed] = await Promise.all([
    count('llen', 'wait'),
    count('llen', 'active'),
    count('zcard', 'delayed'),
    count('zcard', 'failed'),
  ])
  return { waiting, active, delayed, failed }
}

/** Counts jobs by state, in three round trips. */
export async function readStats(redis: Redis, keys: Keys): Promise<QueueStats> {
  const time = readTime(redis)
  const [
    waiting,
    active,
    delayed,
    prioritized,
    failed,
    nextWaiting,
    nextPrioritized,
    quarantined,
    slots,
    now,
    untaken,
  ] = await Promise.all([
    redis.llen(keys.jobs('wait')),
    redis.llen(keys.jobs('active')),
    redis.zcard(keys.jobs('delayed')),
    redis.zcard(keys.jobs('prioritized')),
    redis.zcard(keys.jobs('failed')),
    redis.lindex(keys.jobs('wait'), -1),
    redis.zrange(keys.jobs('prioritized'), '0', '0'),
    readQuarantine(redis, keys),
    readSlots(redis, keys),
    time,
    readUntaken(redis, keys, time),
  ])
  const next = [nextWaiting, nextPrioritized[0]].filter((id) => id != null)
  // An entry of the list may have no job.
  const [times, living] = await Promise.all([
    Promise.all(next.map((id) => redis.hget(keys.job(id), 'timestamp').catch(() => null))),
    slotsOfLiving(redis, keys, slots),
  ])
  const paces = await readPaces(
    redis,
    keys,
    living.map(([id]) => id),
  )
  const paced = living.map(([, count], index) => ({ slots: count, seconds: paces[index] ?? Number.NaN }))
  const ages = times.map((time) => (time === null ? 0 : Math.max(0, now - Number(time)) / 1000))
  return {
    waiting,
    active,
    delayed,
    prioritized,
    failed,
    untaken,
    quarantined,
    workers: living.length,
    slots: living.reduce((sum, [, count]) => sum + count, 0),
    oldestWaitingAgeSeconds: Math.max(0, ...ages),
    predictedWaitSeconds: predictWait(paced, waiting + prioritized, active),
  }
}
