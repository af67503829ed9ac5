/** Maximum number of dead webhooks that are kept for the operator; the oldest are dropped first. */
const MAX_DEAD = 10_000
/** Maximum number of expired entries that one claim skips, because a script blocks Redis. */
const MAX_SKIPPED = 100

/**
 * Lua functions over the webhooks of a deployment. `tag` is the prefix of all keys. Tenants take turns, and so do the
 * targets of one tenant: the score of each is the time at which it is due or was served last, whichever is later. Times
 * are milliseconds of Redis' clock.
 *
 * - `now()`
 * - `schedule(tag, id, tenant, target, due, ttl)`: makes a webhook due at a time
 * - `take_turn(tag, tenant, target, now)`: moves a served target and its tenant behind the others
 */
const FUNCTIONS = `
local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function keys_of(tag, tenant, target)
  return tag .. ':webhooks:tenants', tag .. ':webhooks:targets:' .. tenant,
    tag .. ':webhooks:due:' .. tenant .. ':' .. target
end
local function schedule(tag, id, tenant, target, due, ttl)
  local tenants, targets, queue = keys_of(tag, tenant, target)
  redis.call('ZADD', tenants, 'LT', due, tenant)
  redis.call('ZADD', targets, 'LT', due, target)
  redis.call('ZADD', queue, due, id)
  -- If no gateway delivers, expired webhooks must not pile up.
  redis.call('ZREMRANGEBYSCORE', queue, '-inf', now() - ttl * 1000)
  for _, key in ipairs({tenants, targets, queue}) do redis.call('EXPIRE', key, ttl) end
end
local function put_turn(list, member, queue, now)
  local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
  if first[2] then
    redis.call('ZADD', list, math.max(tonumber(first[2]), now), member)
  else
    redis.call('ZREM', list, member)
  end
end
local function take_turn(tag, tenant, target, now)
  local tenants, targets, queue = keys_of(tag, tenant, target)
  put_turn(targets, target, queue, now)
  put_turn(tenants, tenant, targets, now)
end
`

/**
 * Lua function `enqueue_webhook(tag, id, url, tenant, target, ttl)` for the script that publishes a result, so that each
 * result with a callback URL has exactly one webhook. It uses `is_there` of that script, which removes keys of the wrong
 * type.
 */
export const ENQUEUE_WEBHOOK = `
${FUNCTIONS}
local function enqueue_webhook(tag, id, url, tenant, target, ttl)
  local tenants, targets, queue = keys_of(tag, tenant, target)
  for _, key in ipairs({tenants, targets, queue}) do is_there(key, 'zset') end
  local record = tag .. ':webhook:' .. id
  is_there(record, 'hash')
  local at = now()
  redis.call('HSET', record, 'url', url, 'tenant', tenant, 'target', target, 'at', at, 'tries', 0)
  redis.call('EXPIRE', record, ttl)
  schedule(tag, id, tenant, target, at, ttl)
  redis.call('PUBLISH', tag .. ':webhooks', '')
end
`

/**
 * Claims the webhook whose turn it is, with a lease. When the lease expires, the webhook is due again.
 *
 * KEYS: the tenants. ARGV: tag, length of the lease, its token, number of busy tenants, their names, then `tenant target` of
 * each busy target. Returns id and fields of a webhook, or the time until one is due, or -1 if there are none.
 */
export const CLAIM_WEBHOOK = `
${FUNCTIONS}
local tag, lease, token, count = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local busy = {}
for at = 5, #ARGV do busy[ARGV[at]] = true end
local at = now()
local tenants = KEYS[1]
local function pick()
  -- ARGV bounds how many tenants and targets can be busy, so a longer page is not needed.
  for _, tenant in ipairs(redis.call('ZRANGEBYSCORE', tenants, '-inf', at, 'LIMIT', 0, #ARGV - 3)) do
    if not busy[tenant] then
      local _, targets = keys_of(tag, tenant, '')
      for _, target in ipairs(redis.call('ZRANGEBYSCORE', targets, '-inf', at, 'LIMIT', 0, #ARGV - 3 - count)) do
        if not busy[tenant .. ' ' .. target] then return tenant, target end
      end
    end
  end
end
for _ = 1, ${MAX_SKIPPED} do
  local tenant, target = pick()
  if not tenant then
    local later = redis.call('ZRANGEBYSCORE', tenants, '(' .. at, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    return later[2] and math.max(1, tonumber(later[2]) - at) or -1
  end
  local _, _, queue = keys_of(tag, tenant, target)
  local id = redis.call('ZRANGEBYSCORE', queue, '-inf', at, 'LIMIT', 0, 1)[1]
  local record = id and tag .. ':webhook:' .. id
  if id and redis.call('EXISTS', record) == 0 then
    redis.call('ZREM', queue, id)
    id = nil
  elseif id then
    redis.call('ZADD', queue, at + lease, id)
    redis.call('HINCRBY', record, 'tries', 1)
    redis.call('HSET', record, 'claim', token)
  end
  take_turn(tag, tenant, target, at)
  if id then return {id, redis.call('HGETALL', record)} end
end
return 1
`

/**
 * Settles an attempt. KEYS: the webhook. ARGV: tag, its id, token of the lease, `delivered`, `retry`, `dead` or
 * `release`, the pause before the next attempt, the error, time to live in seconds.
 *
 * Returns the outcome. `retry` becomes `dead` if the result expires before the next attempt. `lost`: the lease has
 * expired and another deliverer has claimed or removed the webhook. `delivered` removes the webhook even then.
 */
export const SETTLE_WEBHOOK = `
${FUNCTIONS}
local tag, id, token, outcome, pause, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[7])
local record = KEYS[1]
local found = redis.call('HMGET', record, 'tenant', 'target', 'claim')
local tenant, target = found[1], found[2]
if not tenant or not target or (outcome ~= 'delivered' and found[3] ~= token) then return 'lost' end
local _, _, queue = keys_of(tag, tenant, target)
local at = now()
if outcome == 'retry' and redis.call('PTTL', record) <= pause then outcome = 'dead' end
redis.call('HDEL', record, 'claim')
if outcome == 'delivered' then
  redis.call('DEL', record)
  redis.call('ZREM', queue, id)
  redis.call('ZREM', tag .. ':webhooks:dead', id)
  -- A result without a results queue is taken now.
  redis.pcall('ZREM', tag .. ':untaken', 'none:' .. id)
elseif outcome == 'dead' then
  redis.call('HSET', record, 'error', ARGV[6])
  redis.call('ZREM', queue, id)
  local dead = tag .. ':webhooks:dead'
  redis.call('ZADD', dead, at, id)
  redis.call('ZREMRANGEBYSCORE', dead, '-inf', at - ttl * 1000)
  redis.call('ZREMRANGEBYRANK', dead, 0, -${MAX_DEAD} - 1)
  redis.call('EXPIRE', dead, ttl)
elseif outcome == 'retry' then
  redis.call('HSET', record, 'error', ARGV[6])
  schedule(tag, id, tenant, target, at + pause, ttl)
else
  redis.call('HINCRBY', record, 'tries', -1)
  schedule(tag, id, tenant, target, at, ttl)
end
take_turn(tag, tenant, target, at)
return outcome
`

/**
 * Makes a dead webhook due now, with no attempts counted. KEYS: the webhook, the dead webhooks. ARGV: tag, its id, time
 * to live in seconds. Returns 1, or 0 if the webhook is not dead or its result has expired.
 */
export const REVIVE_WEBHOOK = `
${FUNCTIONS}
if redis.call('ZREM', KEYS[2], ARGV[2]) == 0 then return 0 end
local found = redis.call('HMGET', KEYS[1], 'tenant', 'target')
if not found[1] or not found[2] then return 0 end
redis.call('HSET', KEYS[1], 'tries', 0)
redis.call('HDEL', KEYS[1], 'error', 'claim')
schedule(ARGV[1], ARGV[2], found[1], found[2], now(), tonumber(ARGV[3]))
redis.call('PUBLISH', ARGV[1] .. ':webhooks', '')
return 1
`
