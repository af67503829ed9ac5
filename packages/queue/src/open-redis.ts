import type { Redis } from 'ioredis'
import { connectRedis } from './connect-redis.ts'
import { Keys } from './keys.ts'
import { type QueueOptions, resolveOptions } from './options.ts'

/** A checked connection to the Redis of a deployment, for what lies beside its queue. */
export interface DeploymentRedis {
  readonly redis: Redis
  /** Names of the keys of the deployment. */
  readonly keys: Keys
  /** How long results can be read, in seconds. */
  readonly resultTtlSeconds: number
}

/**
 * Connects to the Redis of a deployment. Commands fail after about 3 s while it is away.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer, is too old, or may evict keys
 * @throws {ConfigError} naming the option
 */
export async function openDeploymentRedis(options: QueueOptions): Promise<DeploymentRedis> {
  const resolved = resolveOptions(options)
  const { redis } = await connectRedis(resolved, 'fail')
  return { redis, keys: new Keys(resolved.prefix), resultTtlSeconds: resolved.resultTtlSeconds }
}
