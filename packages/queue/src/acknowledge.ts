import { createIORedisClient, QueueKeys, raw2NextJobData } from 'bullmq'
import type { Redis } from 'ioredis'
import { ACKNOWLEDGE } from './acknowledge-lua.ts'
import { Completion } from './completion.ts'
import { GUARD } from './guard-lua.ts'
import { type Keys, resultsQueue } from './keys.ts'

/** One result whose handler has resolved. */
export interface Handled {
  /** Id of the result's job. */
  readonly id: string
  /** What its lock holds. */
  readonly token: string
  /** Whether its slot is to go on with the next result. */
  readonly goesOn: boolean
}

/** Name under which the client knows our script. */
const COMMAND = 'isopodAcknowledge'

/**
 * Makes what acknowledges results and takes the next ones.
 *
 * @param lockMs how long the next one's lock lasts, in milliseconds
 * @returns a function that resolves with undefined if BullMQ is to acknowledge the result itself; it never rejects
 */
export function acknowledging(redis: Redis, keys: Keys, replyTo: string, lockMs: number) {
  redis.defineCommand(COMMAND, { numberOfKeys: 9, lua: GUARD + ACKNOWLEDGE })
  const client = createIORedisClient(redis)
  const queue = new QueueKeys(keys.tag).getKeys(resultsQueue(replyTo))
  const prefix = queue[''] ?? ''
  return async ({ id, token, goesOn }: Handled): Promise<Completion | undefined> => {
    const hash = `${prefix}${id}`
    try {
      const reply: unknown = await client.runCommand(COMMAND, [
        hash,
        `${hash}:lock`,
        `${hash}:logs`,
        queue['active'],
        queue['stalled'],
        queue['meta'],
        queue['delayed'],
        queue['wait'],
        queue['marker'],
        id,
        token,
        prefix,
        lockMs,
        Date.now(),
        goesOn ? 1 : 0,
      ])
      if (reply === -1) return undefined
      return new Completion(Array.isArray(reply) ? raw2NextJobData(reply) : undefined)
    } catch {
      return undefined
    }
  }
}
