import { RESERVED_NAMES } from './reserved-names.ts'

/** Entries that the quarantine keeps; it forgets its oldest. */
const MAX_KEPT = 1000
/** Bytes of an id that are kept. */
const MAX_SHOWN = 128
/** Longest id that a script takes for one: 128 characters, and two more for that of a result on its way. */
const MAX_ID = 130
/** Poisoned ids that one call passes over; Redis stands still meanwhile. */
const MAX_PASSED = 1000

/**
 * Lua functions `fault(prefix, id)`: why BullMQ must not touch the job of an id, nil if it may; and `keep(prefix, reason, id)`:
 * notes it in the quarantine. `prefix` is what the keys of the queue start with.
 */
const FAULTS = `
local reserved = {${[...RESERVED_NAMES].map((name) => `['${name}']=1`).join(',')}}
local function fault(prefix, id)
  if #id > ${MAX_ID} or not string.find(id, '^[%w_%-]+$') then return 'malformed' end
  if reserved[id] then return 'reserved' end
  local kind = redis.call('TYPE', prefix .. id).ok
  if kind ~= 'none' and kind ~= 'hash' then return 'wrong_type' end
end
local function keep(prefix, reason, id)
  local quarantine = string.match(prefix, '^{[^}]*}') .. ':quarantine'
  redis.call('HINCRBY', quarantine .. ':counts', reason, 1)
  redis.call('LPUSH', quarantine, reason .. ' ' .. string.sub(id, 1, ${MAX_SHOWN}))
  redis.call('LTRIM', quarantine, 0, ${MAX_KEPT - 1})
end`

/**
 * Stands in front of a script of BullMQ and hands it none of the ids that would have it write into the queue's own keys, or fail
 * half-way: a script that fails undoes nothing. Such ids come from those who write to Redis past our client. The script calls
 * `redis` as before; the commands that pick ids leave out poisoned ones, and a counter that is no number begins anew.
 */
export const GUARD = `
local redis = (function(redis)
${FAULTS}
local function is_poisoned(prefix, id)
  local reason = fault(prefix, id)
  if reason then keep(prefix, reason, id) end
  return reason ~= nil
end
local function queue_of(key, name)
  if string.sub(key, -#name - 1) == ':' .. name then return string.sub(key, 1, -#name - 1) end
end
local own = {}
function own.RPOPLPUSH(from, to)
  local prefix = queue_of(from, 'wait')
  if not prefix then return redis.call('RPOPLPUSH', from, to) end
  for _ = 1, ${MAX_PASSED} do
    local id = redis.call('RPOPLPUSH', from, to)
    if not id or not is_poisoned(prefix, id) then return id end
    redis.call('LPOP', to)
  end
  redis.call('ZADD', prefix .. 'marker', 0, '0')
  return false
end
function own.ZPOPMIN(key)
  local prefix = queue_of(key, 'prioritized')
  for _ = 1, ${MAX_PASSED} do
    local popped = redis.call('ZPOPMIN', key)
    if not prefix or #popped == 0 or not is_poisoned(prefix, popped[1]) then return popped end
  end
  redis.call('ZADD', prefix .. 'marker', 0, '0')
  return {}
end
function own.ZRANGEBYSCORE(key, ...)
  local found, prefix, kept = redis.call('ZRANGEBYSCORE', key, ...), queue_of(key, 'delayed'), {}
  if not prefix then return found end
  for _, id in ipairs(found) do
    if is_poisoned(prefix, id) then redis.call('ZREM', key, id) else kept[#kept + 1] = id end
  end
  return kept
end
function own.SMEMBERS(key)
  local found, prefix, kept = redis.call('SMEMBERS', key), queue_of(key, 'stalled'), {}
  if not prefix then return found end
  for _, id in ipairs(found) do
    if is_poisoned(prefix, id) then redis.call('LREM', prefix .. 'active', 0, id) else kept[#kept + 1] = id end
  end
  return kept
end
function own.HINCRBY(key, field, by)
  local reply = redis.pcall('HINCRBY', key, field, by)
  if type(reply) ~= 'table' or not reply.err then return reply end
  redis.call('HSET', key, field, 0)
  return redis.call('HINCRBY', key, field, by)
end
local function call(command, ...)
  local instead = own[command]
  if instead then return instead(...) end
  return redis.call(command, ...)
end
return setmetatable({call = call}, {__index = redis})
end)(redis)
`

/** What the keys of a queue are. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ wait: 'list', active: 'list', paused: 'list' },
  ...{ prioritized: 'zset', delayed: 'zset', completed: 'zset', failed: 'zset', 'waiting-children': 'zset' },
  ...{ repeat: 'zset', marker: 'zset', stalled: 'set', meta: 'hash', events: 'stream' },
  ...{ id: 'string', pc: 'string', limiter: 'string', 'stalled-check': 'string' },
}

/**
 * Mends a queue that was written to before a guard stood there: keys of the wrong type are renamed, so that BullMQ makes new ones,
 * and poisoned ids leave the lists that no pick looks through. ARGV: what the queue's keys start with.
 */
export const HEAL = `
${FAULTS}
local prefix = ARGV[1]
local types = {${Object.entries(TYPES)
  .map(([name, type]) => `['${name}']='${type}'`)
  .join(',')}}
for name, wanted in pairs(types) do
  local kind = redis.call('TYPE', prefix .. name).ok
  if kind ~= 'none' and kind ~= wanted then
    redis.call('RENAME', prefix .. name, string.match(prefix, '^{[^}]*}') .. ':quarantine:' .. name)
    keep(prefix, 'structure', name)
  end
end
local function sweep(ids, remove)
  for _, id in ipairs(ids) do
    local reason = fault(prefix, id)
    if reason then
      remove(id)
      keep(prefix, reason, id)
    end
  end
end
sweep(redis.call('LRANGE', prefix .. 'active', 0, ${MAX_PASSED}), function(id)
  redis.call('LREM', prefix .. 'active', 0, id)
end)
for _, name in ipairs({'failed', 'delayed', 'prioritized'}) do
  sweep(redis.call('ZRANGE', prefix .. name, 0, ${MAX_PASSED}), function(id) redis.call('ZREM', prefix .. name, id) end)
end
`
