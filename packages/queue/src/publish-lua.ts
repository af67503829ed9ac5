import type { Redis } from 'ioredis'

/** Keys of ours, which stand before those of BullMQ's two scripts. */
export const OWN_KEYS = 5
/** How many keys BullMQ's script takes that adds a job. */
export const ADD_KEYS = 9

/**
 * The whole end of a job in one script, so that nothing can fail in between: decides whether its result may be published,
 * puts it on the results queue, stores it, completes the job and takes the next one. What BullMQ does is done by BullMQ's own
 * scripts, which stand in this one as functions.
 *
 * KEYS: stored result, hash of the job, hash of the result's job, cancel flag, names of results queues; those of `add`; those
 * of `finish`, unless the job is not to be completed. ARGV: the attempt that made the result, time to live in seconds, the
 * results queue's name, now in epoch milliseconds, what all keys start with; those of `add`; those of `finish`.
 *
 * Returns `ok`, `duplicate` or `fenced`; what `finish` said; and if that is a next job, whether it has a result or a request to
 * cancel it. A fenced start changes nothing: the job is another's.
 *
 * @param add BullMQ's `addStandardJob`
 * @param finish BullMQ's `moveToFinished`
 */
export function publishScript(add: string, finish: string): string {
  const firstFinishKey = OWN_KEYS + ADD_KEYS + 1
  return `
local function add(redis, KEYS, ARGV)
${add}
end
local function finish(KEYS, ARGV)
${finish}
end
-- Nobody listens to the events of a results queue: results are taken, not watched.
local silent = {
  call = function(command, ...)
    if command ~= 'XADD' then return redis.call(command, ...) end
  end,
}
local verdict = 'ok'
if redis.call('EXISTS', KEYS[1], KEYS[3]) > 0 then
  verdict = 'duplicate'
elseif (redis.call('HGET', KEYS[2], 'ats') or (redis.call('EXISTS', KEYS[2]) == 1 and '0')) ~= ARGV[1] then
  return {'fenced'}
end
if verdict == 'ok' then
  -- What was added must be stored too, or it would count as a duplicate of a result that nobody can read.
  local added, problem = pcall(add, silent, {unpack(KEYS, ${OWN_KEYS + 1}, ${OWN_KEYS + ADD_KEYS})}, {unpack(ARGV, 6, 8)})
  if not added and redis.call('EXISTS', KEYS[3]) == 0 then
    return type(problem) == 'table' and problem or redis.error_reply(problem)
  end
  redis.call('SET', KEYS[1], ARGV[7], 'EX', ARGV[2])
  redis.call('DEL', KEYS[4])
  redis.call('ZADD', KEYS[5], ARGV[4], ARGV[3])
end
if not KEYS[${firstFinishKey}] then return {verdict} end
local finished = finish({unpack(KEYS, ${firstFinishKey})}, {unpack(ARGV, 9)})
if type(finished) ~= 'table' or type(finished[2]) ~= 'string' then return {verdict, finished} end
local tag, next = ARGV[5], finished[2]
return {verdict, finished, redis.call('EXISTS', tag .. ':result:' .. next, tag .. ':cancel:' .. next)}
`
}

/**
 * The text of one of BullMQ's scripts, as BullMQ itself has registered it with a client that it uses.
 *
 * @throws if this release of BullMQ has no such script
 */
export function bullScript(redis: Redis, name: string): string {
  const scripts: Readonly<Record<string, { readonly lua: string }>> = redis.scriptsSet
  const found = Object.entries(scripts).find(([command]) => command.startsWith(`${name}:`))
  if (found === undefined) throw new Error(`BullMQ has no script ${name}`)
  return found[1].lua
}
