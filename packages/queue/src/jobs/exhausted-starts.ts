import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import type { Delivery } from './delivery.ts'
import type { StartNotes } from './start-notes.ts'

/** Maximum number of workers that died while they ran a job. */
const MAX_DEATHS = 4
/**
 * Maximum number of starts of a job, without those that ended in a platform fault or a requeue. It also bounds the starts of a job
 * that kills its worker at once.
 */
const MAX_STARTS = 10

/** What knows about earlier starts. */
interface Records {
  readonly redis: Redis
  readonly keys: Keys
  readonly notes: StartNotes
}

/** Why a job must not be started again, in one sentence; undefined if it may. */
export async function whyExhausted(
  { redis, keys, notes }: Records,
  { id, attempt, stalls, faults }: Pick<Delivery, 'id' | 'attempt' | 'stalls' | 'faults'>,
): Promise<string | undefined> {
  const deaths = stalls > MAX_DEATHS ? await notes.deaths(id) : 0
  if (deaths > MAX_DEATHS) return `the worker died ${deaths} times while it ran this job`
  if (attempt - faults <= MAX_STARTS) return undefined
  const requeues = Number(await redis.get(keys.requeues(id))) || 0
  if (attempt - faults - requeues <= MAX_STARTS) return undefined
  return `the job was started ${attempt - requeues} times and never ended`
}
