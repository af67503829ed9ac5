import type { Redis } from 'ioredis'
import type { JobDeferred } from '../errors.ts'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import type { Keys } from '../redis/keys.ts'

/**
 * Returns for how long a job has been deferred, in milliseconds by the clock of Redis. It starts anew if the job is not deferred
 * again within its delay and the bound: then it waited for a worker.
 *
 * KEYS: since when. ARGV: delay and bound together, in milliseconds.
 */
const DEFERRED_MS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local since = tonumber(redis.call('GET', KEYS[1]) or now)
redis.call('SET', KEYS[1], since, 'PX', ARGV[1])
return now - since
`

/** Bounds the time for which jobs are deferred. */
export class Deferrals {
  readonly #keys: Keys
  readonly #script: RedisScript

  constructor(redis: Redis, keys: Keys) {
    this.#keys = keys
    this.#script = defineScript(redis, 'isopodDeferredMs', 1, DEFERRED_MS)
  }

  /** Whether a job that is to be deferred has been deferred for as long as it may be. */
  async isExhausted(id: string, { delayMs, maxMs }: JobDeferred): Promise<boolean> {
    if (maxMs === undefined) return false
    return Number(await this.#script(this.#keys.deferredSince(id), delayMs + maxMs)) >= maxMs
  }
}
