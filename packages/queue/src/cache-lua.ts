/**
 * Looks a result up; if there is none, takes the right to make it, unless somebody has that.
 *
 * KEYS: result, flight. ARGV: who asks, how long a flight lasts that nobody prolongs, in milliseconds.
 * Returns the result, or 1 for whoever is to make it, 0 for who is to wait, 2 for who is to run without all this.
 */
export const ENTER_CACHE = `
local found = redis.call('GET', KEYS[1])
if found then return found end
if redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end
local holder = redis.call('GET', KEYS[2])
-- Asked again, because a connection broke before the first answer came.
if holder == ARGV[1] then return 1 end
return holder == 'alone' and 2 or 0
`

/** Lets a flight last longer, as long as it is his who asks. KEYS: flight. ARGV: who had it, for how long, in milliseconds. */
export const PROLONG_FLIGHT = `
return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0
`

/**
 * Ends a flight. KEYS: as above. ARGV: who had it; how it ended: «landed» with a result and its time to live in seconds,
 * «alone» with how long nobody is to wait for another in milliseconds, or «failed».
 */
export const LEAVE_CACHE = `
if ARGV[2] == 'landed' then redis.call('SET', KEYS[1], ARGV[3], 'EX', ARGV[4]) end
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
if ARGV[2] == 'alone' then redis.call('SET', KEYS[2], 'alone', 'PX', ARGV[3]) else redis.call('DEL', KEYS[2]) end
return 1
`
