import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { toError } from '../errors.ts'
import type { Keys } from '../redis/keys.ts'
import { isRefusal } from '../redis/quarantine.ts'

/**
 * The id of this queue in this Redis, made by whoever asks first. Containers carry it, so that the reaper of one
 * deployment never takes those of another that shares the engine, whatever URLs the two know their Redis by.
 */
export async function readDeployment(redis: Redis, keys: Keys): Promise<string> {
  const fresh = randomUUID()
  // Two commands, as SET with both NX and GET is not known to Redis 6.2.
  await redis.set(keys.deployment, fresh, 'NX')
  try {
    return (await redis.get(keys.deployment)) ?? fresh
  } catch (error) {
    if (!isRefusal(toError(error))) throw error
    // No id of ours, but something of another type.
    await redis.set(keys.deployment, fresh)
    return fresh
  }
}
