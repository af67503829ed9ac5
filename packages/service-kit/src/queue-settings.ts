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
 * Reads the queue settings of a process that has no other settings. The Redis is named elsewhere.
 *
 * @throws {ConfigError} naming each invalid variable, and each that looks misspelt
 */
export function readQueueSettings(env: Environment): QueueSettings {
  const settings = readEnvironment(z.object(QUEUE_VARIABLES), env, { prefix: 'ISOPOD_QUEUE_' })
  return { prefix: settings.ISOPOD_QUEUE_PREFIX, allowEviction: settings.ISOPOD_ALLOW_EVICTION }
}
