/**
 * Takes a batch for one producer, unless another has it.
 *
 * KEYS: lease, state and samples of the batch. ARGV: who takes it, how long a lease lasts in milliseconds, time to live of the
 * state in seconds, the rules of the batch.
 *
 * Returns `busy` and for how many milliseconds more; `differs` and the rules on record; or `ours`, how many samples are on
 * record, and 1 if its callback was delivered.
 */
export const TAKE_BATCH = `
local left = redis.call('PTTL', KEYS[1])
if left > 0 then return {'busy', left} end
local rules = redis.call('HGET', KEYS[2], 'rules')
if rules and rules ~= ARGV[4] then return {'differs', rules} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[2], 'owner', ARGV[1], 'rules', ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return {'ours', redis.call('HLEN', KEYS[3]), redis.call('HEXISTS', KEYS[2], 'delivered')}
`

/**
 * Says that the producer lives, and notes something if it has something to note. The fence: one that was overtaken changes
 * nothing any more. A lease that ran out unnoticed is taken again: as long as nobody else came, nothing has changed.
 *
 * KEYS: lease, state and samples, and where to note it. ARGV: as above, the first three; field and value of the note, or none.
 * Returns 1, or 0 if the batch is another's.
 */
export const KEEP_BATCH = `
if redis.call('HGET', KEYS[2], 'owner') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if ARGV[4] then redis.call('HSET', KEYS[4], ARGV[4], ARGV[5]) end
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return 1
`

/** Gives the lease back. KEYS: lease. ARGV: who has it. */
export const LEAVE_BATCH = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`
