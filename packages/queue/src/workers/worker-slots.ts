import type { Redis } from 'ioredis'
import { toError } from '../errors.ts'
import { writeAtLimit } from '../redis/at-limit.ts'
import type { Keys } from '../redis/keys.ts'
import { isRefusal } from '../redis/quarantine.ts'

/** A worker and its number of slots. */
type SlotsEntry = readonly [workerId: string, slots: number]

/**
 * Records how many jobs a worker runs at once; 0 if it takes no more jobs. The entry counts while the worker's lease is alive.
 */
export async function writeSlots(redis: Redis, keys: Keys, [workerId, slots]: SlotsEntry): Promise<void> {
  const write = () =>
    slots > 0 ? writeAtLimit(redis, 'HSET', keys.slots, workerId, slots) : redis.hdel(keys.slots, workerId)
  await write().catch(async (error) => {
    if (!isRefusal(toError(error))) throw error
    // Another program has written a key of another type.
    await redis.unlink(keys.slots)
    await write()
  })
}

/** All entries, including those of workers that died. */
export async function readSlots(redis: Redis, keys: Keys): Promise<SlotsEntry[]> {
  const hash = await redis.hgetall(keys.slots).catch((error) => {
    if (!isRefusal(toError(error))) throw error
    return {}
  })
  return Object.entries(hash).map(([id, slots]) => [id, Math.max(0, Math.trunc(Number(slots)) || 0)])
}

/** The entries of live workers. */
export async function slotsOfLiving(
  redis: Redis,
  keys: Keys,
  entries: readonly SlotsEntry[],
): Promise<SlotsEntry[]> {
  if (entries.length === 0) return []
  const leases = await redis.mget(entries.map(([id]) => keys.lease(id)))
  return entries.filter((_, index) => leases[index] != null)
}

/** The workers that take jobs now. */
export interface LiveWorkers {
  readonly workers: number
  /** How many jobs they run at once, in total. */
  readonly slots: number
}

/** Counts live workers by their leases, in two round trips. */
export async function countLiveWorkers(redis: Redis, keys: Keys): Promise<LiveWorkers> {
  const living = await slotsOfLiving(redis, keys, await readSlots(redis, keys))
  return { workers: living.length, slots: living.reduce((sum, [, slots]) => sum + slots, 0) }
}

/** Removes the entries of dead workers, and their paces. */
export async function forgetSlotsOfDead(redis: Redis, keys: Keys): Promise<void> {
  const entries = await readSlots(redis, keys)
  const living = await slotsOfLiving(redis, keys, entries)
  const dead = entries.filter((entry) => !living.includes(entry)).map(([id]) => id)
  if (dead.length === 0) return
  await redis.hdel(keys.slots, ...dead)
  await redis.hdel(keys.jobSeconds, ...dead).catch(() => {})
}
