import { z } from 'zod'
import { QUEUE_VARIABLES } from './env-schemas.ts'
import { type Environment, readEnvironment } from './read-environment.ts'

/** The queue that {@link QUEUE_VARIABLES} name. */
export interface QueueSettings {
  readonly prefix: string
  /** Accept a Redis that may evict keys. */
  readonly allowEviction: boolean
}

/**
 * Reads which queue of a Redis is meant, for a process that has no settings but these. Its Redis is named elsewhere.
 *
 * @throws {ConfigError} naming each wrong variable, and each that looks like a misspelt one
 */
export function readQueueSettings(env: Environment): QueueSettings {
  const settings = readEnvironment(z.object(QUEUE_VARIABLES), env, { prefix: 'ISOPOD_QUEUE_' })
  return { prefix: settings.ISOPOD_QUEUE_PREFIX, allowEviction: settings.ISOPOD_ALLOW_EVICTION }
}
