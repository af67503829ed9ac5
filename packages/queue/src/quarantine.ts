import { isDeepStrictEqual } from 'node:util'
import type { Redis } from 'ioredis'
import type { Observe } from './consumer-events.ts'
import { GUARD, HEAL } from './guard-lua.ts'
import type { Keys } from './keys.ts'

/**
 * Why something was taken out of a queue: its id is no id of a job; it is a name that BullMQ needs itself; under it lies what is no
 * job, or more than any job has; or it is a key of the queue that is of the wrong type, or holds what cannot be used.
 */
export const QUARANTINE_REASONS = ['malformed', 'reserved', 'wrong_type', 'too_large', 'structure'] as const

/** How much was ever taken out of the queues of a prefix, by reason. */
export type QuarantineCounts = Readonly<Record<(typeof QUARANTINE_REASONS)[number], number>>

/** Scripts of BullMQ that pick ids, or count in a job's hash. */
const PICKING = /"(RPOPLPUSH|ZPOPMIN|ZRANGEBYSCORE|HINCRBY)"/

/** Has the scripts of BullMQ that a client knows pass over poisoned ids; they must be registered by then. */
export function guardScripts(redis: Redis): void {
  const scripts: Readonly<Record<string, { lua: string; numberOfKeys: number }>> = redis.scriptsSet
  for (const [name, { lua, numberOfKeys }] of Object.entries(scripts)) {
    if (lua.startsWith(GUARD) || !PICKING.test(lua)) continue
    redis.defineCommand(name, { numberOfKeys, lua: GUARD + lua })
  }
}

/**
 * Mends what was written into a queue by others, as far as one call can: see {@link HEAL}.
 *
 * @param prefix what the queue's keys start with
 */
export async function healQueue(redis: Redis, prefix: string): Promise<void> {
  await redis.eval(HEAL, 0, prefix)
}

/** Makes what mends a queue whenever Redis refuses a command, once at a time; what fails there fails again, and is told again. */
export function healing(redis: Redis, prefix: string): (error: Error) => void {
  let running = false
  return (error) => {
    if (running || !isMendable(error)) return
    running = true
    healQueue(redis, prefix)
      .catch(() => {})
      .finally(() => {
        running = false
      })
  }
}

/** Reads how much was taken out so far. */
export async function readQuarantine(redis: Redis, keys: Keys): Promise<QuarantineCounts> {
  const found = await redis.hmget(keys.quarantineCounts, ...QUARANTINE_REASONS).catch((error: Error) => {
    if (isRefusal(error)) return []
    throw error
  })
  return Object.fromEntries(
    QUARANTINE_REASONS.map((reason, index) => [reason, Number(found[index] ?? 0) || 0]),
  ) as Record<(typeof QUARANTINE_REASONS)[number], number>
}

/** Makes what looks whether something was taken out since it looked last, and tells of it. */
export async function watchQuarantine(
  redis: Redis,
  keys: Keys,
  observe: Observe,
): Promise<() => Promise<void>> {
  let known = await readQuarantine(redis, keys)
  return async () => {
    const counts = await readQuarantine(redis, keys)
    if (!isDeepStrictEqual(counts, known)) observe({ type: 'quarantined', counts })
    known = counts
  }
}

/** What Redis says where it takes no command of this kind at all, whatever lies under the keys. */
const OF_REDIS = /\b(OOM|READONLY|MISCONF|NOREPLICAS|LOADING|BUSY|NOAUTH|NOPERM|CLUSTERDOWN|MASTERDOWN)\b/

/** Whether a fault may be one of what lies in a queue. */
export function isMendable(error: Error): boolean {
  return isRefusal(error) && !OF_REDIS.test(error.message)
}

/** Whether a fault was Redis' own answer, not that of a connection. */
export function isRefusal(error: Error): boolean {
  return error.name === 'ReplyError'
}
