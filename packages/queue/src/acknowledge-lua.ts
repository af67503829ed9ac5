/**
 * Acknowledges a result and takes the next one, in a third of the commands of BullMQ's own script for it: a result on its way
 * has no parent, no children, no metrics and nobody who listens to its queue's events. Whatever is not plain is left to BullMQ.
 *
 * KEYS: hash of the result's job, its lock, its logs; of the queue: active, stalled, meta, delayed, wait, marker.
 * ARGV: id of the result's job, the lock's token, prefix of the hashes of jobs, how long locks last in milliseconds, now in
 * epoch milliseconds, 1 if the next one is wanted.
 *
 * Returns the hash and the id of the next one, 0 if BullMQ is to look for it, -1 if this one is not ours to acknowledge.
 */
export const ACKNOWLEDGE = `
if redis.call('GET', KEYS[2]) ~= ARGV[2] then
  -- The client sends a command again whose answer was lost: it may have been acknowledged by that.
  return redis.call('EXISTS', KEYS[1]) == 0 and 0 or -1
end
if redis.call('LREM', KEYS[4], -1, ARGV[1]) == 0 then return -1 end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SREM', KEYS[5], ARGV[1])
if ARGV[6] ~= '1' then return 0 end
-- A queue that is paused or throttled, or has results whose pause is over, is BullMQ's to judge.
local meta = redis.call('HMGET', KEYS[6], 'paused', 'concurrency', 'max')
if meta[1] or meta[2] or meta[3] or redis.call('ZCARD', KEYS[7]) > 0 then return 0 end
local next = redis.call('RPOPLPUSH', KEYS[8], KEYS[4])
if not next then return 0 end
local hash = ARGV[3] .. next
redis.call('SET', hash .. ':lock', ARGV[2], 'PX', ARGV[4])
redis.call('HSET', hash, 'processedOn', ARGV[5])
redis.call('HINCRBY', hash, 'ats', 1)
-- Wakes one more consumer that waits, as BullMQ does.
redis.call('ZADD', KEYS[9], 0, '0')
return {redis.call('HGETALL', hash), next}
`
