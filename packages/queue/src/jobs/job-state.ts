import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'

/**
 * The state of a job: `waiting` for a worker, also between two attempts; `running` on a worker; `finished`, with a result;
 * `unknown`: it was never enqueued, or its result has expired.
 */
export type JobState = 'waiting' | 'running' | 'finished' | 'unknown'

/** Reads the state of a job in one transaction, so that a job that moves meanwhile has exactly one state. */
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
