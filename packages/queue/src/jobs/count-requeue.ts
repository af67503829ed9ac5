import type { Redis } from 'ioredis'
import { ADMIT_WRITES } from '../redis/at-limit.ts'
import type { Keys } from '../redis/keys.ts'

/** How long requeues are counted, in seconds: longer than any job waits. */
const REQUEUES_TTL_SECONDS = 604_800

/** KEYS: the count. */
const COUNT_REQUEUE = `
${ADMIT_WRITES}
redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ${REQUEUES_TTL_SECONDS})
`

/** Counts a requeue of a job, in one round trip. */
export async function countRequeue(redis: Redis, keys: Keys, id: string): Promise<void> {
  await redis.eval(COUNT_REQUEUE, 1, keys.requeues(id))
}
