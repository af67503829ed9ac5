import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import { type QuarantineCounts, readQuarantine } from '../redis/quarantine.ts'
import { readSlots, slotsOfLiving } from '../workers/worker-slots.ts'

/** Counts of the jobs queue. */
export interface QueueStats {
  readonly waiting: number
  readonly active: number
  /** Waiting for their next attempt. */
  readonly delayed: number
  /** Waiting with a priority. */
  readonly prioritized: number
  /** Failed by the queue itself and not yet swept; normally 0. */
  readonly failed: number
  /** Age of the next job, with or without a priority, whichever is older; 0 if none waits. */
  readonly oldestWaitingAgeSeconds: number
  /** Workers that take jobs, and their slots in total. */
  readonly workers: number
  readonly slots: number
  /** Counts of the quarantine. */
  readonly quarantined: QuarantineCounts
}

/** Counts jobs by state, in two round trips. */
export async function readStats(redis: Redis, keys: Keys): Promise<QueueStats> {
  const [waiting, active, delayed, prioritized, failed, heads, firsts, quarantined, slots] =
    await Promise.all([
      redis.llen(keys.jobs('wait')),
      redis.llen(keys.jobs('active')),
      redis.zcard(keys.jobs('delayed')),
      redis.zcard(keys.jobs('prioritized')),
      redis.zcard(keys.jobs('failed')),
      redis.lindex(keys.jobs('wait'), -1),
      redis.zrange(keys.jobs('prioritized'), '0', '0'),
      readQuarantine(redis, keys),
      readSlots(redis, keys),
    ])
  const next = [heads, firsts[0]].filter((id) => id != null)
  // The entry may be no job.
  const [times, living] = await Promise.all([
    Promise.all(next.map((id) => redis.hget(keys.job(id), 'timestamp').catch(() => null))),
    slotsOfLiving(redis, keys, slots),
  ])
  const now = Date.now()
  const ages = times.map((time) => (time === null ? 0 : Math.max(0, now - Number(time)) / 1000))
  return {
    waiting,
    active,
    delayed,
    prioritized,
    failed,
    quarantined,
    workers: living.length,
    slots: living.reduce((sum, [, count]) => sum + count, 0),
    oldestWaitingAgeSeconds: Math.max(0, ...ages),
  }
}
