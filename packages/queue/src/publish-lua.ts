import { LOOK } from './take-lua.ts'

/** Keys of ours, which stand before those of BullMQ's two scripts. */
export const OWN_KEYS = 5
/** How many keys BullMQ's script takes that adds a job. */
export const ADD_KEYS = 9
/** Bytes of the longest result that is sent to those who wait for it; a longer one they fetch. */
const LONGEST_MESSAGE = 64 * 1024

/**
 * The whole end of a job in one script, so that nothing can fail in between: decides whether its result may be published,
 * puts it on the results queue, stores it, tells those who wait for it, completes the job and takes the next one. What BullMQ
 * does is done by BullMQ's own scripts, which stand in this one as functions.
 *
 * KEYS: stored result, hash of the job, hash of the result's job, cancel flag, names of results queues; those of `add`; those
 * of `finish`, unless the job is not to be completed. ARGV: the attempt that made the result, time to live in seconds, the
 * results queue's name, now in epoch milliseconds, what all keys start with, the channel of those who wait; those of `add`;
 * those of `finish`.
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
${LOOK}
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
  local added, problem = pcall(add, silent, {unpack(KEYS, ${OWN_KEYS + 1}, ${OWN_KEYS + ADD_KEYS})}, {unpack(ARGV, 7, 9)})
  if not added and redis.call('EXISTS', KEYS[3]) == 0 then
    return type(problem) == 'table' and problem or redis.error_reply(problem)
  end
  redis.call('SET', KEYS[1], ARGV[8], 'EX', ARGV[2])
  redis.call('DEL', KEYS[4])
  redis.call('ZADD', KEYS[5], ARGV[4], ARGV[3])
  -- Who may not publish has waiters that look from time to time.
  redis.pcall('PUBLISH', ARGV[6], #ARGV[8] <= ${LONGEST_MESSAGE} and ARGV[8] or '')
end
if not KEYS[${firstFinishKey}] then return {verdict} end
local finished = finish({unpack(KEYS, ${firstFinishKey})}, {unpack(ARGV, 10)})
return {verdict, finished, look(ARGV[5], finished)}
`
}
