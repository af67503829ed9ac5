import { RESERVED_NAMES } from './safe-id.ts'

/** Maximum number of entries in the quarantine; the oldest are dropped. */
const MAX_QUARANTINE = 1000
/** Maximum length of an id in the quarantine; longer ones are cut. */
const MAX_QUARANTINED_ID = 128
/** Maximum length of an id: 128 characters, and the prefix of a result's id in its results queue. */
const MAX_ID = 130
/** Maximum number of ids that one call examines, because a script blocks Redis. */
const MAX_EXAMINED = 1000
/** Maximum number of ids that one call removes from the list of active jobs, where each removal scans the list. */
const MAX_REMOVED = 100
/** Maximum size of a job in bytes. Producers accept 24 MiB of text, which is at most six times as large as JSON. */
const MAX_JOB_BYTES = 192 * 1024 * 1024
/** How long a key is kept that was in the place of a job, in seconds. */
const ASIDE_TTL_SECONDS = 86_400
/** Maximum pause between two searches for stalled jobs, in milliseconds. Workers search every few seconds. */
const MAX_CHECK_MS = 600_000

/** The names that no job may have, each between two spaces. */
const RESERVED = ` ${[...RESERVED_NAMES].join(' ')} `

/**
 * Lua functions; `prefix` is what the keys of the queue start with.
 *
 * - `quarantine(prefix, reason, id)`: adds an id, or the name of a key, to the quarantine
 * - `fault(prefix, id)`: why BullMQ must not touch the job with this id; nil if it may, which it makes sure of by renaming a key
 *   that is no job
 * - `set_aside(prefix, name)`: renames a key of the queue
 * - `count_of(text)`: a non-negative number; nil for any other text
 * - `is_stuck(check)`: whether the key that throttles BullMQ's search for stalled jobs expires too late, or never
 */
export const FAULTS = `
local function quarantine(prefix, reason, id)
  local function write(command, key, ...)
    local reply = redis.pcall(command, key, ...)
    if type(reply) ~= 'table' then return end
    redis.call('DEL', key)
    redis.call(command, key, ...)
  end
  local list = string.match(prefix, '^{[^}]*}') .. ':quarantine'
  -- A full Redis refuses the first write of a script, if it needs memory.
  redis.call('DEL', list .. ':none')
  write('HINCRBY', list .. ':counts', reason, 1)
  write('LPUSH', list, reason .. ' ' .. string.sub(id, 1, ${MAX_QUARANTINED_ID}))
  redis.call('LTRIM', list, 0, ${MAX_QUARANTINE - 1})
end
local function fault(prefix, id)
  if #id > ${MAX_ID} or not string.find(id, '^[%w_%-]+$') then return 'malformed' end
  if string.find('${RESERVED}', ' ' .. id .. ' ', 1, true) then return 'reserved' end
  local key, kind = prefix .. id, redis.call('TYPE', prefix .. id).ok
  if kind == 'none' then return end
  local reason = kind ~= 'hash' and 'wrong_type'
  if not reason then
    local bytes = redis.pcall('MEMORY', 'USAGE', key, 'SAMPLES', 0)
    if type(bytes) ~= 'number' or bytes <= ${MAX_JOB_BYTES} then return end
    reason = 'too_large'
  end
  -- A job may have been accepted under this id: without its data it gets a result that says so.
  local aside = string.match(prefix, '^{[^}]*}') .. ':quarantine:job:' .. id
  redis.call('RENAME', key, aside)
  redis.call('EXPIRE', aside, ${ASIDE_TTL_SECONDS})
  quarantine(prefix, reason, id)
end
local function set_aside(prefix, name)
  redis.pcall('RENAME', prefix .. name, string.match(prefix, '^{[^}]*}') .. ':quarantine:' .. name)
  quarantine(prefix, 'structure', name)
end
local function count_of(text)
  local number = tonumber(text)
  if number and number >= 0 and number < 1e15 then return number end
end
local function is_stuck(check)
  local left = redis.call('PTTL', check)
  return left == -1 or left > ${MAX_CHECK_MS}
end`

/**
 * Goes in front of a script of BullMQ and filters what the script reads through `redis`. Other writers to Redis can add ids that
 * would make the script write into the queue's own keys, or fail half-way; a failed script undoes nothing.
 *
 * One function with branches, because Redis defines functions again for each call of a script, which costs time for each job.
 * Commands that pick ids skip poisoned ones. A counter that is not a number starts at zero. Features that no job of ours uses are
 * hidden: parents, children, deduplication, schedules and deferred failures. No events are written, because nothing here reads them,
 * and they would take a twentieth of Redis's time for a job.
 */
export const GUARD = `
local redis = (function(redis)
${FAULTS}
local function is_poisoned(prefix, id)
  local reason = fault(prefix, id)
  if reason then quarantine(prefix, reason, id) end
  return reason ~= nil
end
local function queue_of(key, name)
  if string.sub(key, -#name) == name then return string.sub(key, 1, -#name) end
end
local function call(command, ...)
  local key, first, second = ...
  if command == 'XADD' or command == 'XTRIM' then
    return 0
  elseif command == 'HGET' then
    if first == 'rjk' or first == 'deid' then return false end
    local found = redis.call('HGET', key, first)
    if first == 'priority' and found then return count_of(found) or 0 end
    if first == 'opts.maxLenEvents' and found then return count_of(found) or 10000 end
    return found
  elseif command == 'HMGET' then
    if first == 'parentKey' then return {false, false, false} end
    local found = redis.call('HMGET', ...)
    if first ~= 'paused' then return found end
    for at = 2, #found do
      if found[at] and not count_of(found[at]) then found[at] = false end
    end
    return found
  elseif command == 'HGETALL' then
    local found = redis.call('HGETALL', key)
    for at = 1, #found, 2 do
      if found[at] == 'rjk' or found[at] == 'defa' then found[at] = '' end
    end
    return found
  elseif command == 'RPOPLPUSH' then
    local prefix = queue_of(key, ':wait')
    if not prefix then return redis.call('RPOPLPUSH', key, first) end
    for _ = 1, ${MAX_EXAMINED} do
      local id = redis.call('RPOPLPUSH', key, first)
      if not id or not is_poisoned(prefix, id) then return id end
      redis.call('LPOP', first)
    end
    redis.call('ZADD', prefix .. 'marker', 0, '0')
    return false
  elseif command == 'ZPOPMIN' then
    local prefix = queue_of(key, ':prioritized')
    for _ = 1, ${MAX_EXAMINED} do
      local popped = redis.call('ZPOPMIN', key)
      if not prefix or #popped == 0 or not is_poisoned(prefix, popped[1]) then return popped end
    end
    redis.call('ZADD', prefix .. 'marker', 0, '0')
    return {}
  elseif command == 'ZRANGEBYSCORE' then
    local found, prefix, kept = redis.call('ZRANGEBYSCORE', ...), queue_of(key, ':delayed'), {}
    if not prefix then return found end
    for _, id in ipairs(found) do
      if is_poisoned(prefix, id) then redis.call('ZREM', key, id) else kept[#kept + 1] = id end
    end
    return kept
  elseif command == 'SMEMBERS' then
    local found, prefix, kept = redis.call('SMEMBERS', key), queue_of(key, ':stalled'), {}
    if not prefix then return found end
    local removed = 0
    for _, id in ipairs(found) do
      local reason = fault(prefix, id)
      if not reason then
        kept[#kept + 1] = id
      elseif removed < ${MAX_REMOVED} then
        removed = removed + 1
        quarantine(prefix, reason, id)
        redis.call('LREM', prefix .. 'active', 0, id)
      end
    end
    return kept
  elseif command == 'GET' then
    local found = redis.pcall('GET', key)
    return type(found) ~= 'table' and found
  elseif command == 'EXISTS' and queue_of(key, ':stalled-check') and is_stuck(key) then
    return 0
  elseif command == 'SCARD' and queue_of(key, ':dependencies') then
    return 0
  elseif command == 'ZCARD' and queue_of(key, ':unsuccessful') then
    return 0
  elseif command == 'INCR' then
    local reply = redis.pcall('INCR', key)
    if type(reply) ~= 'table' then return reply end
    redis.call('SET', key, 1)
    return 1
  elseif command == 'HINCRBY' then
    local reply = redis.pcall('HINCRBY', key, first, second)
    if type(reply) ~= 'table' or not reply.err then return reply end
    redis.call('HSET', key, first, 0)
    return redis.call('HINCRBY', key, first, second)
  end
  return redis.call(command, ...)
end
return setmetatable({call = call}, {__index = redis})
end)(redis)
`

/** Redis types of the keys of a queue. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ wait: 'list', active: 'list', paused: 'list' },
  ...{ prioritized: 'zset', delayed: 'zset', completed: 'zset', failed: 'zset', 'waiting-children': 'zset' },
  ...{ repeat: 'zset', marker: 'zset', stalled: 'set', meta: 'hash' },
  ...{ id: 'string', pc: 'string', limiter: 'string', 'stalled-check': 'string' },
}

/**
 * Repairs a queue: renames keys of the wrong type, so that BullMQ makes new ones; removes keys with unusable content; removes
 * poisoned ids from the lists that no script of BullMQ filters. ARGV: prefix of the queue's keys.
 */
export const HEAL = `
${FAULTS}
local prefix = ARGV[1]
local types = {${Object.entries(TYPES)
  .map(([name, type]) => `['${name}']='${type}'`)
  .join(',')}}
for name, wanted in pairs(types) do
  local kind = redis.call('TYPE', prefix .. name).ok
  if kind ~= 'none' and kind ~= wanted then set_aside(prefix, name) end
end
local function drop(is_bad, name, command, ...)
  if not is_bad then return end
  redis.call(command, prefix .. name, ...)
  quarantine(prefix, 'structure', name)
end
local fields = {'concurrency', 'max', 'duration', 'opts.maxLenEvents'}
for at, found in ipairs(redis.call('HMGET', prefix .. 'meta', unpack(fields))) do
  drop(found and not count_of(found), 'meta', 'HDEL', fields[at])
end
for _, name in ipairs({'id', 'pc', 'limiter'}) do
  local found = redis.call('GET', prefix .. name)
  drop(found and not string.find(found, '^%d+$'), name, 'DEL')
end
drop(is_stuck(prefix .. 'stalled-check'), 'stalled-check', 'DEL')
local function sweep(ids, remove)
  for _, id in ipairs(ids) do
    local reason = fault(prefix, id)
    if reason then
      remove(id)
      quarantine(prefix, reason, id)
    end
  end
end
sweep(redis.call('LRANGE', prefix .. 'active', 0, ${MAX_EXAMINED}), function(id)
  redis.call('LREM', prefix .. 'active', 1, id)
end)
for _, name in ipairs({'failed', 'delayed', 'prioritized'}) do
  sweep(redis.call('ZRANGE', prefix .. name, 0, ${MAX_EXAMINED}), function(id) redis.call('ZREM', prefix .. name, id) end)
end
`
