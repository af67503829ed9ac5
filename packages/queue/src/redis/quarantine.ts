import { isDeepStrictEqual } from 'node:util'
import type { Redis } from 'ioredis'
import { HEAL } from './guard-lua.ts'
import type { Keys } from './keys.ts'

/**
 * Why the quarantine has an entry. An id that was removed: `malformed`; `reserved`, a name of BullMQ's own keys. An id whose job gets a
 * result: `wrong_type`, its key was not a hash; `too_large`, its data was above the maximum. An id whose job waits again: `lost`, it
 * was in no list. A key of the queue: `structure`, of the wrong type or with unusable content.
 */
export const QUARANTINE_REASONS = [
  'malformed',
  'reserved',
  'wrong_type',
  'too_large',
  'lost',
  'structure',
] as const

/** Number of entries that the quarantine of a prefix ever had, by reason. */
export type QuarantineCounts = Readonly<Record<(typeof QUARANTINE_REASONS)[number], number>>

/** Mends a queue as far as one call can: see {@link HEAL}. `prefix` is the prefix of the queue's keys. */
export async function healQueue(redis: Redis, prefix: string): Promise<void> {
  await redis.eval(HEAL, 0, prefix)
}

/** Returns a listener for errors that mends the queue if the error may be due to its keys. One repair runs at a time. */
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

/** Reads the counts of the quarantine. */
export async function readQuarantine(redis: Redis, keys: Keys): Promise<QuarantineCounts> {
  const found = await redis.hmget(keys.quarantineCounts, ...QUARANTINE_REASONS).catch((error: Error) => {
    if (isRefusal(error)) return []
    throw error
  })
  return Object.fromEntries(
    QUARANTINE_REASONS.map((reason, index) => [reason, Number(found[index] ?? 0) || 0]),
  ) as Record<(typeof QUARANTINE_REASONS)[number], number>
}

/** Returns a check that calls back if the counts have changed since the last check. */
export async function watchQuarantine(
  redis: Redis,
  keys: Keys,
  onChange: (counts: QuarantineCounts) => void,
): Promise<() => Promise<void>> {
  let known = await readQuarantine(redis, keys)
  return async () => {
    const counts = await readQuarantine(redis, keys)
    if (!isDeepStrictEqual(counts, known)) onChange(counts)
    known = counts
  }
}

/** Errors that have nothing to do with the content of keys. */
const SERVER_ERRORS =
  /\b(OOM|READONLY|MISCONF|NOREPLICAS|LOADING|BUSY|NOAUTH|NOPERM|CLUSTERDOWN|MASTERDOWN)\b/

/** Whether an error may be due to the content of a queue's keys. */
export function isMendable(error: Error): boolean {
  return isRefusal(error) && !SERVER_ERRORS.test(error.message)
}

/** Whether Redis itself refused the command, as opposed to a failed connection. */
export function isRefusal(error: Error): boolean {
  return error.name === 'ReplyError'
}
