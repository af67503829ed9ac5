import { IsopodError } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import pTimeout from 'p-timeout'
import { connectRedis, unavailable } from './connect-redis.ts'
import { Keys } from './keys.ts'
import { type QueueOptions, resolveOptions } from './queue-options.ts'

/** Timeout of one call to Redis. */
const ANSWER_TIMEOUT = { milliseconds: 5000, message: 'no answer within 5 s' }

/** A checked connection to the Redis of a deployment, for everything but its queue. */
export interface DeploymentRedis {
  /** Names of the keys of the deployment. */
  readonly keys: Keys
  /** How long results can be read, in seconds. */
  readonly resultTtlSeconds: number
  /** The time of Redis, in epoch milliseconds. */
  now(): number
  /**
   * Calls Redis. This is the only access to the connection, so that callers see neither its raw errors nor a hang.
   *
   * @throws {UnavailableError} if it does not answer within 5 s
   */
  ask<T>(question: (redis: Redis) => Promise<T>): Promise<T>
  /** Disconnects; a second call has no effect. */
  close(): void
}

/**
 * Connects to the Redis of a deployment. Commands fail after about 3 s while it is unavailable.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer, is too old, or may evict keys
 * @throws {ConfigError} naming the option
 */
export async function openDeploymentRedis(options: QueueOptions): Promise<DeploymentRedis> {
  const resolved = resolveOptions(options)
  const { redis, clock, shownUrl } = await connectRedis(resolved, 'fail')
  const { prefix, resultTtlSeconds } = resolved
  return {
    keys: new Keys(prefix),
    resultTtlSeconds,
    now: () => clock.now(),
    async ask(question) {
      try {
        const answer = question(redis)
        answer.catch(() => {})
        return await pTimeout(answer, ANSWER_TIMEOUT)
      } catch (error) {
        throw error instanceof IsopodError ? error : unavailable(shownUrl, error)
      }
    },
    close: () => redis.disconnect(),
  }
}
