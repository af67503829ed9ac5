import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { toError } from '../errors.ts'
import type { Keys } from '../redis/keys.ts'
import { isRefusal } from '../redis/quarantine.ts'

/**
 * The id of this queue in this Redis, created by the first worker. Containers carry it, so that a reaper never removes those of
 * another deployment on the same engine, whatever the URLs of Redis are.
 */
export async function readDeployment(redis: Redis, keys: Keys): Promise<string> {
  const fresh = randomUUID()
  // Two commands, because Redis 6.2 does not allow SET with both NX and GET.
  await redis.set(keys.deployment, fresh, 'NX')
  try {
    return (await redis.get(keys.deployment)) ?? fresh
  } catch (error) {
    if (!isRefusal(toError(error))) throw error
    // Another program has written a key of another type.
    await redis.set(keys.deployment, fresh)
    return fresh
  }
}
