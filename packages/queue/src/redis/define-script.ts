import { createIORedisClient } from 'bullmq'
import type { Redis } from 'ioredis'

/** Runs a script: its keys, then its arguments. */
export type RedisScript = (...args: readonly (string | number)[]) => Promise<unknown>

/**
 * Registers a Lua script with a connection, which sends its text only if Redis does not have it.
 *
 * @param name unique on the connection
 * @param numberOfKeys `varies`: each call begins with the number of its keys
 */
export function defineScript(
  redis: Redis,
  name: string,
  numberOfKeys: number | 'varies',
  lua: string,
): RedisScript {
  redis.defineCommand(name, { lua, ...(numberOfKeys !== 'varies' && { numberOfKeys }) })
  const client = createIORedisClient(redis)
  return (...args) => client.runCommand(name, [...args])
}
