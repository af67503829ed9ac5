import type { Redis } from 'ioredis'
import { toError } from '../errors.ts'
import type { Keys } from '../redis/keys.ts'
import { isRefusal } from '../redis/quarantine.ts'
import type { Leases } from '../workers/leases.ts'

/** Age from which a start is noted, in milliseconds: the death of its worker before that is most likely not due to the job. */
const NOTED_AFTER_MS = 1000
/** How long a note lasts, in seconds: longer than any job waits. */
const TTL_SECONDS = 604_800

/**
 * Notes in Redis which worker runs a job, until the start ends. A note that stays although its worker's lease is gone tells later
 * starts of a worker that died while it ran the job. A job that its worker merely lost, as after a pause of Redis, leaves none.
 */
export class StartNotes {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #leases: Leases

  constructor(redis: Redis, keys: Keys, leases: Leases) {
    this.#redis = redis
    this.#keys = keys
    this.#leases = leases
  }

  /** Notes a start as soon as it is a second old. @returns removes the note; call it when the start has ended */
  begin(id: string, attempt: number): () => void {
    const key = this.#keys.starts(id)
    let isNoted = false
    const timer = setTimeout(() => {
      isNoted = true
      const note = this.#redis.multi().hset(key, attempt, this.#leases.holder).expire(key, TTL_SECONDS)
      note.exec().catch(() => {})
    }, NOTED_AFTER_MS).unref()
    return () => {
      clearTimeout(timer)
      if (isNoted) this.#redis.hdel(key, String(attempt)).catch(() => {})
    }
  }

  /** How many workers died while they ran the job. */
  async deaths(id: string): Promise<number> {
    const key = this.#keys.starts(id)
    const holders = await this.#redis.hvals(key).catch(async (error) => {
      if (!isRefusal(toError(error))) throw error
      // Another program has written a key of another type.
      await this.#redis.unlink(key)
      return []
    })
    const alive = await this.#leases.held(holders)
    return holders.length - alive
  }
}
