import { openDeploymentRedis, type QueueOptions } from '@isopod/queue'
import { ApiKeys } from './api-keys.ts'
import { Batches } from './batches.ts'
import { Executions } from './executions.ts'
import { RateLimits } from './rate-limits.ts'

/** The access data of a deployment: keys, rate limits, executions and batches. */
export interface Access {
  readonly keys: ApiKeys
  readonly rates: RateLimits
  readonly executions: Executions
  readonly batches: Batches
  /** Disconnects; a second call has no effect. */
  close(): void
}

/**
 * Connects to the access data of a deployment, in the Redis of its queue.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer
 *
 * @example
 * ```ts
 * const access = await openAccess({ url: 'redis://127.0.0.1:6379' })
 * const { token } = await access.keys.create({ name: 'ci', tenant: 'ci', scopes: ['submit', 'read'] })
 * ```
 */
export async function openAccess(options: QueueOptions): Promise<Access> {
  const deployment = await openDeploymentRedis(options)
  return {
    keys: new ApiKeys(deployment),
    rates: new RateLimits(deployment),
    executions: new Executions(deployment),
    batches: new Batches(deployment),
    close: () => deployment.close(),
  }
}
