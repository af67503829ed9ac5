import { completeFunction } from './complete-lua.ts'
import { GUARD } from './guard-lua.ts'
import { NO_RESULTS_QUEUE } from './keys.ts'
import { LOOK } from './take-lua.ts'
import { ENQUEUE_WEBHOOK } from './webhooks/webhook-lua.ts'

/** How many keys the script takes. */
export const PUBLISH_KEYS = 8
/** Bytes of the longest result that is sent to those who wait for it; a longer one they fetch. */
const LONGEST_MESSAGE = 64 * 1024

/**
 * The whole end of a job in one script, so that nothing can fail in between: decides whether its result may be published,
 * puts it on the results queue, stores it, enqueues its webhook, tells those who wait for it, completes the job and takes the
 * next one.
 *
 * KEYS: stored result, hash of the job, hash of the result's job, cancel flag, names of results queues; of the results queue:
 * wait, meta, marker. ARGV: the attempt that made the result, time to live in seconds, the results queue's name, now in epoch
 * milliseconds, what all keys start with, the channel of those who wait, the result, id and options of the result's job, id of
 * the job, its callback URL (empty if it has none), that one's tenant and target; and unless the job is not to be completed, what
 * the keys of its queue start with, its lock's token, how long locks last in milliseconds, the worker's name, 1 if that goes on
 * with a next job.
 *
 * Returns `ok`, `duplicate` or `fenced`; what `moveToFinished` would; and if that is a next job, whether it has a result or a
 * request to cancel it. A fenced start changes nothing: the job is another's. What lies under a name of ours and is of the wrong
 * type is removed: it would stand in the way for ever.
 *
 * @param finish BullMQ's `moveToFinished`
 */
export function publishScript(finish: string): string {
  return `${GUARD}
${completeFunction(finish)}
${LOOK}
local function is_there(key, wanted)
  local kind = redis.call('TYPE', key).ok
  if kind ~= wanted and kind ~= 'none' then redis.call('DEL', key) end
  return kind == wanted
end
${ENQUEUE_WEBHOOK}
local verdict = 'ok'
if is_there(KEYS[1], 'string') or is_there(KEYS[3], 'hash') then
  verdict = 'duplicate'
elseif not is_there(KEYS[2], 'hash') or (redis.call('HGET', KEYS[2], 'ats') or '0') ~= ARGV[1] then
  return {'fenced'}
end
if verdict == 'ok' then
  local travels = ARGV[3] ~= '${NO_RESULTS_QUEUE}'
  local isPaused = travels and redis.call('HEXISTS', KEYS[7], 'paused') == 1
  -- As BullMQ adds a job, without its events: results are taken, not watched. What can fail comes first, as what is on its way
  -- must be stored too.
  if ARGV[11] ~= '' then enqueue_webhook(ARGV[5], ARGV[10], ARGV[11], ARGV[12], ARGV[13], tonumber(ARGV[2])) end
  if travels then
    redis.call('LPUSH', KEYS[6], ARGV[8])
    redis.call('HSET', KEYS[3], 'name', 'result', 'data', ARGV[7], 'opts', ARGV[9],
      'timestamp', ARGV[4], 'delay', 0, 'priority', 0)
  end
  redis.call('SET', KEYS[1], ARGV[7], 'EX', ARGV[2])
  redis.call('DEL', KEYS[4])
  if travels and not isPaused then redis.pcall('ZADD', KEYS[8], 0, '0') end
  if travels then redis.pcall('ZADD', KEYS[5], ARGV[4], ARGV[3]) end
  -- Who may not publish has waiters that look from time to time.
  redis.pcall('PUBLISH', ARGV[6], #ARGV[7] <= ${LONGEST_MESSAGE} and ARGV[7] or '')
end
if not ARGV[14] then return {verdict} end
local by = {token = ARGV[15], lockDuration = ARGV[16], name = ARGV[17], goesOn = ARGV[18] == '1'}
local finished = complete(ARGV[14], ARGV[10], ARGV[4], by)
return {verdict, finished, look(ARGV[5], finished)}
`
}
