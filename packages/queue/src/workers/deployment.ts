import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { toError } from '../errors.ts'
import { writeAtLimit } from '../redis/at-limit.ts'
import type { Keys } from '../redis/keys.ts'
import { isRefusal } from '../redis/quarantine.ts'

/**
 * The id of this queue in this Redis, created by the first worker. Containers carry it, so that a reaper never removes those of
 * another deployment on the same engine, whatever the URLs of Redis are.
 */
export async function readDeployment(redis: Redis, keys: Keys): Promise<string> {
  const newId = randomUUID()
  // Two commands, because Redis 6.2 does not allow SET with both NX and GET.
  await writeAtLimit(redis, 'SET', keys.deployment, newId, 'NX')
  try {
    return (await redis.get(keys.deployment)) ?? newId
  } catch (error) {
    if (!isRefusal(toError(error))) throw error
    // Another program has written a key of another type.
    await writeAtLimit(redis, 'SET', keys.deployment, newId)
    return newId
  }
}

/**
 * Writes the id again if Redis lost it, for example by FLUSHALL. Workers that start later then belong to the same deployment, and
 * reap the containers of those before them.
 */
export async function renewDeployment(redis: Redis, keys: Keys, id: string): Promise<void> {
  await redis.set(keys.deployment, id, 'NX')
}
