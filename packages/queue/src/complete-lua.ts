/**
 * Lua function `complete(prefix, id, now, by)`: completes a job of ours and takes the next one, in half of the time of BullMQ's
 * own script for it, with the same events and answers. Whatever is not plain (priorities, retries whose pause is not over, queues
 * that are paused or throttled, a lock that is not held) is left to BullMQ. Parents, children and marks against doubles, which no
 * job of ours has, count for neither.
 *
 * Its parameters: what the queue's keys start with, the job's id, epoch milliseconds; of the worker a table with the lock's
 * `token`, how long locks last in milliseconds as `lockDuration`, its `name`, and whether it `goesOn` with a next job.
 *
 * @param finish BullMQ's `moveToFinished`
 */
export function completeFunction(finish: string): string {
  return `
local function finish(KEYS, ARGV)
${finish}
end
local function complete(prefix, id, now, by)
  local job, active, wait, events = prefix .. id, prefix .. 'active', prefix .. 'wait', prefix .. 'events'
  local meta = redis.call('HMGET', prefix .. 'meta', 'paused', 'concurrency', 'max', 'opts.maxLenEvents')
  if meta[1] or meta[2] or meta[3]
    or redis.call('EXISTS', prefix .. 'delayed', prefix .. 'prioritized') > 0
    or redis.call('GET', job .. ':lock') ~= by.token
    or redis.call('LREM', active, -1, id) == 0
  then
    local keys = {'wait', 'active', 'prioritized', 'events', 'stalled', 'limiter', 'delayed', 'paused', 'meta', 'pc',
      'completed', id, 'metrics:completed', 'marker'}
    for place, name in ipairs(keys) do keys[place] = prefix .. name end
    local opts = {token = by.token, name = by.name, lockDuration = by.lockDuration, keepJobs = {count = 0}, maxMetricsSize = ''}
    return finish(keys, {id, now, 'returnvalue', 'null', 'completed', by.goesOn and '1' or '0', prefix, cmsgpack.pack(opts), ''})
  end
  redis.call('SREM', prefix .. 'stalled', id)
  redis.call('DEL', job, job .. ':lock', job .. ':logs', job .. ':processed', job .. ':failed',
    job .. ':dependencies', job .. ':unsuccessful')
  redis.call('XADD', events, 'MAXLEN', '~', meta[4] or 10000, '*',
    'event', 'completed', 'jobId', id, 'returnvalue', 'null', 'prev', 'active')
  local next = by.goesOn and redis.call('RPOPLPUSH', wait, active)
  if not next then
    if redis.call('EXISTS', wait, active) == 0 then redis.call('XADD', events, '*', 'event', 'drained') end
    return 0
  end
  local hash = prefix .. next
  redis.call('SET', hash .. ':lock', by.token, 'PX', by.lockDuration)
  redis.call('XADD', events, '*', 'event', 'active', 'jobId', next, 'prev', 'waiting')
  redis.call('HSET', hash, 'processedOn', now, 'pb', by.name)
  redis.call('HINCRBY', hash, 'ats', 1)
  redis.call('ZADD', prefix .. 'marker', 0, '0')
  return {redis.call('HGETALL', hash), next, 0, 0}
end`
}
