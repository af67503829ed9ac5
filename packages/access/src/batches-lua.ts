/**
 * Stores a batch unless it is stored already.
 *
 * KEYS: the batch, its executions, those whose end is not recorded. ARGV: seconds to keep it; its fields as JSON; the ids of
 * its executions.
 */
export const RECORD_BATCH = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('DEL', KEYS[2], KEYS[3])
for at = 3, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[at])
  redis.call('ZADD', KEYS[3], at - 3, at - 3)
end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[1]) end
return 1
`

/**
 * Reads the state of the executions whose end is not recorded.
 *
 * KEYS: the executions of a batch, those whose end is not recorded, the list of running jobs. ARGV: the prefix of all keys.
 * Returns three lists of indexes: executions that run, that have a result, and that have neither job nor result.
 */
export const READ_UNRECORDED = `
local ids = redis.call('LRANGE', KEYS[1], 0, -1)
local active = {}
for _, id in ipairs(redis.call('LRANGE', KEYS[3], 0, -1)) do active[id] = true end
local running, ended, lost = {}, {}, {}
for _, place in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local id = ids[tonumber(place) + 1]
  if redis.call('EXISTS', ARGV[1] .. ':result:' .. id) == 1 then ended[#ended + 1] = place
  elseif redis.call('EXISTS', ARGV[1] .. ':jobs:' .. id) == 0 then lost[#lost + 1] = place
  elseif active[id] then running[#running + 1] = place end
end
return {running, ended, lost}
`

/**
 * Records ends, each once, and extends the life of the batch to that of the latest result.
 *
 * KEYS: the batch, its executions, those whose end is not recorded, the ends, the fingerprint. ARGV: seconds to keep
 * them; then index and JSON of each end.
 */
export const RECORD_BATCH_ENDS = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for at = 2, #ARGV, 2 do
  if redis.call('ZREM', KEYS[3], ARGV[at]) == 1 then redis.call('RPUSH', KEYS[4], ARGV[at + 1]) end
end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[1]) end
return 1
`
