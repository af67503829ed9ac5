/** Entries that a stream of events has at most. */
export const MAX_STREAM_ENTRIES = 12_000

/**
 * Appends entries to the stream of a job's events.
 *
 * KEYS: the stream. ARGV: seconds that it stays from now on; id below which all is removed, or an empty text; then id and
 * text of each entry. Returns how many were appended.
 *
 * Ids are `<attempt>-<number>`, so Redis itself refuses what was sent before, and what an overtaken start of the job sends.
 */
export const APPEND_EVENTS = `
local added = 0
local failed = nil
for at = 3, #ARGV, 2 do
  local reply = redis.pcall('XADD', KEYS[1], 'MAXLEN', ${MAX_STREAM_ENTRIES}, ARGV[at], 'event', ARGV[at + 1])
  if type(reply) == 'string' then
    added = added + 1
  elseif not string.find(reply.err, 'equal or smaller', 1, true) then
    failed = reply
    break
  end
end
if added > 0 and ARGV[2] ~= '' then redis.call('XTRIM', KEYS[1], 'MINID', ARGV[2]) end
if added > 0 or #ARGV == 2 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return failed or added
`
