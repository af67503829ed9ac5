import type { Redis } from 'ioredis'

/**
 * Lua for the beginning of a script that must run while Redis is at its `maxmemory`. Redis then refuses a script only at its first
 * write, and only if that write may need memory; to delete a key never does. Redis 7 also has the flag `allow-oom`, Redis 6.2 has not.
 */
export const ADMIT_WRITES = "redis.call('DEL', KEYS[1] .. ':none')"

/** KEYS: the key. ARGV: the command and its other arguments. */
const WRITE = `
${ADMIT_WRITES}
return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))
`

/** Sends one small write that Redis accepts at its `maxmemory`, too: without leases, for example, workers would seem dead. */
export async function writeAtLimit(
  redis: Redis,
  command: string,
  key: string,
  ...args: readonly (string | number)[]
): Promise<unknown> {
  return await redis.eval(WRITE, 1, key, command, ...args)
}
