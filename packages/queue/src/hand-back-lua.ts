/** Field of a job's hash: how often it was handed back before it ran. */
export const HANDED_BACK = 'isopod-back'

/**
 * Counts that a start was handed back, if it is the last one: a job that somebody else has completed meanwhile must not get
 * a hash anew. KEYS: job. ARGV: which start it is.
 */
export const HAND_BACK = `
if redis.call('HGET', KEYS[1], 'ats') ~= ARGV[1] then return 0 end
return redis.call('HINCRBY', KEYS[1], '${HANDED_BACK}', 1)
`
