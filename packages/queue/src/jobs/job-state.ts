import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'

/**
 * Where a job is: `waiting` for a worker, also between two tries; `running` on one; `finished`, with a result that can be
 * read; `unknown`, because there never was such a job or its result has expired.
 */
export type JobState = 'waiting' | 'running' | 'finished' | 'unknown'

/** Looks a job up in one transaction, so that a job that changes hands meanwhile is never seen in two places or in none. */
export async function readJobState(redis: Redis, keys: Keys, id: string): Promise<JobState> {
  const replies = await redis
    .multi()
    .exists(keys.result(id))
    .exists(keys.job(id))
    .lpos(keys.jobs('active'), id)
    .exec()
  const [result, job, place] = (replies ?? []).map(([error, reply]) => {
    if (error) throw error
    return reply
  })
  if (result === 1) return 'finished'
  if (job !== 1) return 'unknown'
  return typeof place === 'number' ? 'running' : 'waiting'
}
