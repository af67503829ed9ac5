import type { Redis } from 'ioredis'
import { FAULTS } from '../redis/guard-lua.ts'
import type { Keys } from '../redis/keys.ts'
import { isSafeId } from '../redis/safe-id.ts'

const PAGE = 1000
/** Maximum number of ids that one call of the script looks for in all lists, because it blocks Redis. */
const MAX_CHECKED = 100
const LISTS = ['wait', 'active', 'paused'] as const
const SETS = ['prioritized', 'delayed', 'failed', 'completed', 'waiting-children'] as const

/**
 * Lets jobs wait again that are in no list. One step, so that no job moves meanwhile. ARGV: prefix of the queue's keys, then ids.
 * Returns their number.
 */
const RESCUE = `
${FAULTS}
local prefix = ARGV[1]
local function is_listed(id)
  for _, list in ipairs({'${LISTS.join("', '")}'}) do
    if redis.call('LPOS', prefix .. list, id) then return true end
  end
  for _, set in ipairs({'${SETS.join("', '")}'}) do
    if redis.call('ZSCORE', prefix .. set, id) then return true end
  end
end
local rescued = 0
for at = 2, #ARGV do
  local id = ARGV[at]
  if redis.call('EXISTS', prefix .. id) == 1 and not is_listed(id) then
    quarantine(prefix, 'lost', id)
    redis.call('LPUSH', prefix .. 'wait', id)
    redis.call('ZADD', prefix .. 'marker', 0, '0')
    rescued = rescued + 1
  end
end
return rescued
`

/**
 * Finds jobs whose id another program removed from the lists of the queue, and lets them wait again: every accepted job has a result.
 * Reads all lists and scans all keys, so it is for rare calls.
 *
 * @returns number of jobs that wait again
 */
export async function sweepOrphans(redis: Redis, keys: Keys): Promise<number> {
  const listed = await readListed(redis, keys)
  let rescued = 0
  let cursor = '0'
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', keys.job('*'), 'COUNT', PAGE)
    cursor = next
    const ids = found.map((key) => key.slice(keys.job('').length))
    const missing = ids.filter((id) => isSafeId(id) && !listed.has(id))
    for (let first = 0; first < missing.length; first += MAX_CHECKED) {
      const some = missing.slice(first, first + MAX_CHECKED)
      rescued += Number(await redis.eval(RESCUE, 0, keys.job(''), ...some))
    }
  } while (cursor !== '0')
  return rescued
}

/** Ids in the lists of the queue. A job that moves meanwhile can be missing; the script looks again. */
async function readListed(redis: Redis, keys: Keys): Promise<Set<string>> {
  const listed = new Set<string>()
  const readAll = async (read: (first: number, last: number) => Promise<string[]>) => {
    for (let first = 0; ; first += PAGE) {
      const ids = await read(first, first + PAGE - 1)
      for (const id of ids) listed.add(id)
      if (ids.length < PAGE) return
    }
  }
  for (const name of LISTS) await readAll((first, last) => redis.lrange(keys.job(name), first, last))
  for (const name of SETS)
    await readAll((first, last) => redis.zrange(keys.job(name), String(first), String(last)))
  return listed
}
