import type { Redis } from 'ioredis'
import { writeAtLimit } from '../redis/at-limit.ts'
import { type Keys, NO_RESULTS_QUEUE, resultJobId, resultsQueue } from '../redis/keys.ts'
import { isRefusal } from '../redis/quarantine.ts'

/** Entries per call of a script, because it blocks Redis. */
const PAGE = 500
/** Maximum number of results that one call drops. */
const MAX_DROPPED = 100
/** How long the last measurement is shown, in seconds. */
const MEASURED_SECONDS = 600

/**
 * Results that nobody has taken. A result with a results queue is taken when a consumer acknowledges it; one without when a caller
 * receives it, or when its webhook is delivered.
 */
export interface Untaken {
  readonly results: number
  /** Size in Redis. */
  readonly bytes: number
  /** Since the oldest of them was published; 0 if there is none. */
  readonly oldestAgeSeconds: number
}

/** Maxima of untaken results; the oldest beyond them are dropped. */
export interface UntakenMaxima {
  readonly results: number
  readonly bytes: number
}

/** How many results were dropped for which maximum. */
export type DroppedResults = Readonly<Record<keyof UntakenMaxima, number>>

/** The entry of a result among the untaken ones. */
export function untakenEntry(replyTo: string, id: string): string {
  return `${replyTo}:${id}`
}

/**
 * Lua functions. KEYS[1]: the untaken results; ARGV[1]: the prefix of all keys.
 *
 * - `keys_of(entry)`: keys of the stored result and of the queued one, prefix of the queue's keys, id in the queue; nil if the entry
 *   is malformed
 * - `outputs_of(stored)`: key of its large outputs
 * - `bytes_of(stored, queued)`: size of an untaken result; nil if it was taken, or has expired
 */
const FUNCTIONS = `
local function number_of(...)
  local reply = redis.pcall(...)
  return type(reply) == 'number' and reply or 0
end
local function keys_of(entry)
  local reply_to, id = string.match(entry, '^([%w._%-]+):([%w_%-]+)$')
  if not id then return end
  local stored = ARGV[1] .. ':result:' .. id
  if reply_to == '${NO_RESULTS_QUEUE}' then return stored end
  local queue = ARGV[1] .. ':${resultsQueue('')}' .. reply_to .. ':'
  local queued = '${resultJobId('')}' .. id
  return stored, queue .. queued, queue, queued
end
local function outputs_of(stored)
  return ARGV[1] .. ':outputs:' .. string.sub(stored, #ARGV[1] + #':result:' + 1)
end
local function bytes_of(stored, queued)
  local bytes = stored and number_of('STRLEN', stored) or 0
  if bytes > 0 then
    local large = redis.pcall('HGET', outputs_of(stored), 'bytes')
    bytes = bytes + (type(large) == 'string' and tonumber(large) or 0)
  end
  if not queued then return bytes > 0 and bytes or nil end
  if number_of('EXISTS', queued) == 1 then return bytes + number_of('HSTRLEN', queued, 'data') end
end
`

/** Measures a page and removes entries of results that were taken. ARGV[2]: first entry. Returns entries that stay, bytes, and the page's length. */
const MEASURE = `
${FUNCTIONS}
local page = redis.call('ZRANGE', KEYS[1], ARGV[2], ARGV[2] + ${PAGE - 1})
local kept, total = 0, 0
for _, entry in ipairs(page) do
  local bytes = bytes_of(keys_of(entry))
  if bytes then
    kept, total = kept + 1, total + bytes
  else
    redis.call('ZREM', KEYS[1], entry)
  end
end
return {kept, total, #page}
`

/**
 * Drops the oldest untaken results, but not those that a consumer holds. It deletes only, which a full Redis permits.
 *
 * ARGV[2]: first entry; ARGV[3], ARGV[4]: how many results and bytes are too many. Returns the results that were dropped because of
 * their number and because of their size, their bytes, entries that stay, entries that were taken meanwhile, and the page's length.
 */
const DROP = `
${FUNCTIONS}
local results, bytes = tonumber(ARGV[3]), tonumber(ARGV[4])
local by_results, by_bytes, freed, kept, gone = 0, 0, 0, 0, 0
local page = redis.call('ZRANGE', KEYS[1], ARGV[2], ARGV[2] + ${MAX_DROPPED - 1})
for _, entry in ipairs(page) do
  if results <= 0 and bytes <= 0 then break end
  local stored, queued, queue, id = keys_of(entry)
  local size = bytes_of(stored, queued)
  if size and queued and redis.call('EXISTS', queued .. ':lock') == 1 then
    kept = kept + 1
  else
    redis.call('ZREM', KEYS[1], entry)
    if not size then
      gone, results = gone + 1, results - 1
    else
      if queued then
        -- The sets first: to look for an id in a list that does not have it reads all of the list.
        local is_found = number_of('ZREM', queue .. 'delayed', id) + number_of('ZREM', queue .. 'failed', id) > 0
          or number_of('LREM', queue .. 'wait', -1, id) > 0
          or number_of('LREM', queue .. 'active', -1, id) > 0
          or number_of('LREM', queue .. 'paused', -1, id) > 0
        redis.call('UNLINK', queued, queued .. ':logs')
      end
      redis.call('UNLINK', stored, outputs_of(stored))
      if results > 0 then by_results = by_results + 1 else by_bytes = by_bytes + 1 end
      freed = freed + size
      results, bytes = results - 1, bytes - size
    end
  end
end
return {by_results, by_bytes, freed, kept, gone, #page}
`

/**
 * Forgets results that were taken or have expired, and drops the oldest untaken ones beyond the maxima. Publications only append an
 * entry; everything else happens here, whoever consumes the results.
 */
export async function sweepUntaken(
  redis: Redis,
  keys: Keys,
  maxima: Partial<UntakenMaxima> = {},
): Promise<DroppedResults> {
  const call = async (script: string, ...args: number[]) =>
    (await redis.eval(script, 1, keys.untaken, keys.tag, ...args)) as number[]
  try {
    return await sweep(call, maxima, (sizes) => writeMeasured(redis, keys, sizes))
  } catch (error) {
    if (!(error instanceof Error && isRefusal(error))) throw error
    // Another program has written a key of another type. Each further publication adds its entry again.
    if ((await redis.type(keys.untaken)) === 'zset') throw error
    await redis.unlink(keys.untaken)
    return { results: 0, bytes: 0 }
  }
}

async function sweep(
  call: (script: string, ...args: number[]) => Promise<number[]>,
  maxima: Partial<UntakenMaxima>,
  write: (sizes: UntakenMaxima) => Promise<void>,
): Promise<DroppedResults> {
  let results = 0
  let bytes = 0
  for (;;) {
    const [kept = 0, size = 0, length = 0] = await call(MEASURE, results)
    results += kept
    bytes += size
    if (length < PAGE) break
  }
  const { results: maxResults = Number.POSITIVE_INFINITY, bytes: maxBytes = Number.POSITIVE_INFINITY } =
    maxima
  const dropped = { results: 0, bytes: 0 }
  for (let first = 0; results > maxResults || bytes > maxBytes; ) {
    const excess = [Math.max(0, results - maxResults), Math.max(0, bytes - maxBytes)]
    const [byResults = 0, byBytes = 0, freed = 0, kept = 0, gone = 0, length = 0] = await call(
      DROP,
      first,
      ...excess,
    )
    dropped.results += byResults
    dropped.bytes += byBytes
    results -= byResults + byBytes + gone
    bytes -= freed
    first += kept
    if (length < MAX_DROPPED) break
  }
  await write({ results, bytes })
  return dropped
}

/** For {@link readUntaken}, which must not walk through all entries. */
async function writeMeasured(redis: Redis, keys: Keys, sizes: UntakenMaxima): Promise<void> {
  await writeAtLimit(redis, 'SET', keys.untakenSizes, JSON.stringify(sizes), 'EX', MEASURED_SECONDS)
}

/** Reads what the last sweep measured. @param now the time of Redis, in epoch milliseconds */
export async function readUntaken(redis: Redis, keys: Keys, now: Promise<number>): Promise<Untaken> {
  const [text, oldest] = await Promise.all([
    redis.get(keys.untakenSizes).catch(() => null),
    redis.zrange(keys.untaken, '0', '0', 'WITHSCORES').catch(() => []),
  ])
  const { results = 0, bytes = 0 }: Partial<UntakenMaxima> = text === null ? {} : JSON.parse(text)
  const publishedAt = results === 0 ? undefined : oldest[1]
  const oldestAgeSeconds =
    publishedAt === undefined ? 0 : Math.max(0, (await now) - Number(publishedAt)) / 1000
  return { results, bytes, oldestAgeSeconds }
}

/** Notes that a caller has the result of a job without a results queue. Not waited for: a lost note makes the result count on. */
export function noteTaken(redis: Redis, keys: Keys, id: string): void {
  redis.zrem(keys.untaken, untakenEntry(NO_RESULTS_QUEUE, id)).catch(() => {})
}
