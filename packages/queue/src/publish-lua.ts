/**
 * Decides whether a result may be published.
 *
 * KEYS: stored result, hash of the job, hash of the result's job. ARGV: the attempt that made the result.
 * Returns `ok`, `duplicate` or `fenced`. Unless `ok`, it plants the field `guard` in the hash of the result's job,
 * so that BullMQ takes the id for used and adds nothing.
 */
export const GATE = `
local verdict = 'ok'
if redis.call('EXISTS', KEYS[1], KEYS[3]) > 0 then
  verdict = 'duplicate'
elseif redis.call('EXISTS', KEYS[2]) == 0 or (redis.call('HGET', KEYS[2], 'ats') or '0') ~= ARGV[1] then
  verdict = 'fenced'
end
if verdict ~= 'ok' then redis.call('HSET', KEYS[3], 'guard', '1') end
return verdict
`

/**
 * Ends what the gate began: removes the guard, or stores the result that BullMQ has just added to the results queue.
 *
 * KEYS: stored result, hash of the result's job, cancel flag, names of results queues. ARGV: time to live in seconds,
 * the results queue's name, now in epoch milliseconds.
 * Returns 1 if the result is stored, 0 if the gate was shut, -1 if BullMQ did not add the job.
 */
export const SETTLE = `
if redis.call('HDEL', KEYS[2], 'guard') == 1 then return 0 end
local data = redis.call('HGET', KEYS[2], 'data')
if not data then return -1 end
redis.call('SET', KEYS[1], data, 'EX', ARGV[1])
redis.call('DEL', KEYS[3])
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[2])
return 1
`
