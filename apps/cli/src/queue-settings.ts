import { UsageError } from './usage-error.ts'

/** Which queue of a Redis is meant, as its workers are told by the same variables. */
export interface QueueSettings {
  readonly prefix?: string
  readonly allowEviction: boolean
}

/**
 * Reads `ISOPOD_QUEUE_PREFIX` (several deployments may share one Redis) and `ISOPOD_ALLOW_EVICTION` (a Redis that may
 * drop jobs is refused unless someone says that it may).
 *
 * @throws {UsageError} naming the variable
 */
export function queueSettings(env: NodeJS.ProcessEnv): QueueSettings {
  const prefix = env['ISOPOD_QUEUE_PREFIX']
  return {
    ...(prefix ? { prefix } : {}),
    allowEviction: flag('ISOPOD_ALLOW_EVICTION', env['ISOPOD_ALLOW_EVICTION']),
  }
}

function flag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === '' || value === 'false') return false
  if (value === 'true') return true
  throw new UsageError(`${name}: must be true or false, got ${JSON.stringify(value)}`)
}
