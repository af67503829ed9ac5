import { TURN_OF } from './turn-priority.ts'

/** How long a turn is kept for a job that was not added, in seconds; a producer adds its jobs at once, or died. */
const PENDING_SECONDS = 5
/** How long the state outlives the last submit, in seconds. */
const STATE_TTL_SECONDS = 86_400

/**
 * Takes turns for new jobs: start-time fair queueing. A tenant's next turn is its last one plus 1 / weight, or the present turn if
 * that is later, so a tenant that had no work starts beside the others, and one with much work has its turns far ahead.
 *
 * The present turn is the one before that of the next waiting job; it never goes back. While no job waits, it follows the turns
 * that were taken, less those of jobs that are still on their way from producers; if there are none either, all starts again.
 *
 * KEYS: BullMQ's waiting jobs by priority, its number of added jobs, and its counter of priorities; next turns of tenants; the
 * present turn and the number of turns taken; rules of tenants. ARGV: prefix of all keys; whether the jobs are about to be added
 * (`before`), take another turn (`again`), or are one job that was added just now (its id); then for each tenant its name and its
 * number of jobs.
 *
 * Returns `ok`, and for each tenant its first turn, its weight, whether its jobs have different priorities, and whether it has a
 * maximum of waiting jobs; or `full`, a tenant, its waiting jobs and their maximum, or `broken`, if BullMQ could not add a job; no
 * turn was taken then.
 */
export const TAKE_TURNS = `
${TURN_OF}
local function ours(command, key, ...)
  local reply = redis.pcall(command, key, ...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  -- Another program has written a key of another type.
  redis.call('DEL', key)
  return redis.call(command, key, ...)
end
local function count_of(text, otherwise)
  local number = tonumber(text)
  if number and number >= 0 and number < 2 ^ 53 then return number end
  return otherwise
end
local waiting, turns, clock, rules = KEYS[1], KEYS[4], KEYS[5], KEYS[6]
local head, order = redis.pcall('ZRANGE', waiting, 0, 1, 'WITHSCORES'), redis.pcall('GET', KEYS[3])
-- BullMQ would store the job and then fail.
if head.err or (order and not tonumber(order)) then return {'broken'} end
local state = ours('HMGET', clock, 'now', 'taken', 'added', 'at')
local now, taken, at = count_of(state[1], 1), count_of(state[2], 0), count_of(state[4], 0)
local jobs_in_all = 0
for index = 4, #ARGV, 2 do jobs_in_all = jobs_in_all + ARGV[index] end
local added = count_of(redis.pcall('GET', KEYS[2]), 0)
local is_after = ARGV[2] ~= 'before' and ARGV[2] ~= 'again'
-- As if the job were not there yet.
if is_after then added = math.max(0, added - jobs_in_all) end
if is_after and head[1] == ARGV[2] then head = {head[3], head[4]} end
local first_added = count_of(state[3], added)
local seconds = tonumber(redis.call('TIME')[1])
local next_turn = 0
if head[2] then
  local priority = math.floor(count_of(head[2], 0) / 2 ^ 32)
  next_turn = turn_of(priority)
  now = math.max(now, turn_of(priority - 1))
else
  local pending = math.max(0, taken - (added - first_added))
  if added < first_added or seconds > at + ${PENDING_SECONDS} then pending = 0 end
  if pending == 0 then
    redis.call('DEL', turns)
    now, taken, first_added = 1, 0, added
  else
    -- Weights are at least 1, so the pending jobs have at most this many turns.
    local last = ours('ZRANGE', turns, -1, -1, 'WITHSCORES')
    now = math.max(now, count_of(last[2], 1) - pending)
  end
end
-- A turn that is past gives no claim.
ours('ZREMRANGEBYSCORE', turns, '-inf', now)
local answer, taking = {'ok'}, {}
for index = 3, #ARGV, 2 do
  local tenant, jobs = ARGV[index], tonumber(ARGV[index + 1])
  local rule = ours('HMGET', rules, tenant, '*')
  local weight, maximum = string.match(rule[1] or rule[2] or '', '^(%d+) %d+ (%d+)$')
  weight, maximum = math.max(1, count_of(weight, 1)), count_of(maximum, 0)
  local turn = math.max(now, count_of(ours('ZSCORE', turns, tenant), 1))
  if maximum > 0 then
    local ahead = math.ceil((turn - math.max(now, next_turn)) * weight - 0.001)
    local queued = math.max(0, ahead) + ours('ZCARD', ARGV[1] .. ':tenant:parked:' .. tenant)
    if ARGV[2] == 'before' and queued + jobs > maximum then return {'full', tenant, queued, maximum} end
  end
  taking[#taking + 1] = {tenant, turn + jobs / weight}
  answer[#answer + 1] = string.format('%.17g', turn)
  answer[#answer + 1] = weight
  answer[#answer + 1] = redis.call('EXISTS', ARGV[1] .. ':tenant:order:' .. tenant)
  answer[#answer + 1] = maximum > 0 and 1 or 0
end
if ARGV[2] ~= 'again' then taken = taken + jobs_in_all end
for _, entry in ipairs(taking) do redis.call('ZADD', turns, entry[2], entry[1]) end
redis.call('HSET', clock, 'now', now, 'taken', taken, 'added', first_added, 'at', seconds)
redis.call('EXPIRE', turns, ${STATE_TTL_SECONDS})
redis.call('EXPIRE', clock, ${STATE_TTL_SECONDS})
return answer
`

/**
 * Enters a running job of a tenant with a maximum, or parks it. An entry expires if its worker no longer renews it.
 *
 * KEYS: running jobs of the tenant, its parked jobs. ARGV: id, maximum, time to live of the entry in milliseconds, when the job was
 * enqueued. Returns 0 if the job may run, else the number of parked jobs.
 */
export const ENTER_TENANT = `
for _, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'zset' then redis.call('DEL', key) end
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
  redis.call('EXPIRE', KEYS[2], ${STATE_TTL_SECONDS})
  return redis.call('ZCARD', KEYS[2])
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 0
`

/** Renews the entries of running jobs. KEYS: running jobs of the tenant. ARGV: time to live in milliseconds, ids. */
export const RENEW_TENANT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 0
`

/** Weight of a job's own priority in the order of its tenant's jobs; turns are smaller. */
export const ORDER_UNIT = 2 ** 21
/** Maximum number of ids that one search skips, because a script blocks Redis. */
const MAX_SKIPPED = 100

/**
 * Finds the waiting job of a tenant to which a taken job lends its turn: the first with a smaller priority of its own and a later
 * turn. A job lends its turn a bounded number of times, so that it runs in the end.
 *
 * KEYS: the tenant's jobs by their own priority, times 2^21, plus their turn; the taken job's number of requeues. ARGV: prefix of
 * BullMQ's jobs; the taken job's id, its own priority, and its turn as BullMQ's priority; maximum number of requeues. Returns an id
 * and its priority in BullMQ, or nothing.
 */
export const FIND_MORE_URGENT = `
if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then
  redis.call('DEL', KEYS[1])
  return false
end
redis.call('ZREM', KEYS[1], ARGV[2])
if (tonumber(redis.pcall('GET', KEYS[2])) or 0) >= tonumber(ARGV[5]) then return false end
for _ = 1, ${MAX_SKIPPED} do
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  if not first[1] or math.floor(tonumber(first[2]) / ${ORDER_UNIT}) >= tonumber(ARGV[3]) then return false end
  redis.call('ZREM', KEYS[1], first[1])
  local job = ARGV[1] .. first[1]
  local turn = tonumber(redis.pcall('HGET', job, 'priority'))
  local is_running = redis.call('EXISTS', job .. ':lock') == 1
  if turn and turn > tonumber(ARGV[4]) and not is_running then
    redis.call('ZADD', KEYS[1], ARGV[3] * ${ORDER_UNIT} + turn, ARGV[2])
    return {first[1], turn}
  end
end
return false
`
