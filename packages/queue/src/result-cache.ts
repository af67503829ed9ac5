import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@isopod/protocol'
import { createIORedisClient } from 'bullmq'
import type { Redis } from 'ioredis'
import { ENTER_CACHE, LEAVE_CACHE, PROLONG_FLIGHT } from './cache-lua.ts'
import type { Keys } from './keys.ts'
import { parseResult } from './read-result.ts'
import { repeat } from './repeat.ts'

/** How long others wait for a worker that died with a flight, in milliseconds. */
const FLIGHT_MS = 10_000
const RENEWAL_MS = 3000
/** For how long nobody waits for another where the last one brought nothing to keep, in milliseconds. */
const ALONE_MS = 60_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 500
/** Longest result that is kept, as JSON; Redis holds them all in memory. */
const LONGEST_RESULT = 256 * 1024

/** The right to make a result that others wait for. Exactly one of these is called. */
export interface Flight {
  /** Keeps the result for so many seconds; one that is too long is not kept, as with `leave`. */
  land(result: Result, ttlSeconds: number): Promise<void>
  /** There is a result, but none to keep: for a minute whoever asks runs on his own, and waits for nobody. */
  leave(): Promise<void>
  /** There is no result: the next one who waits makes it. */
  fail(): Promise<void>
}

/** What came of asking for a result. */
export type CacheEntry =
  | { readonly result: Result; readonly flight?: undefined }
  | { readonly result?: undefined; readonly flight: Flight }
  /** Run it, and keep nothing; `waited`: somebody else was to make it, and brought nothing to keep. */
  | { readonly result?: undefined; readonly flight?: undefined; readonly waited: boolean }

/** Results of jobs that were asked to be kept; of the same jobs at the same time only one runs. */
export class ResultCache {
  readonly #client: ReturnType<typeof createIORedisClient>
  readonly #keys: Keys

  constructor(redis: Redis, keys: Keys) {
    redis.defineCommand('isopodEnterCache', { numberOfKeys: 2, lua: ENTER_CACHE })
    redis.defineCommand('isopodLeaveCache', { numberOfKeys: 2, lua: LEAVE_CACHE })
    redis.defineCommand('isopodProlongFlight', { numberOfKeys: 1, lua: PROLONG_FLIGHT })
    this.#client = createIORedisClient(redis)
    this.#keys = keys
  }

  /**
   * Looks a result up; waits as long as somebody else makes it.
   *
   * @param key what makes two jobs the same, hexadecimal digits
   * @throws the signal's reason when it aborts
   */
  async enter(key: string, signal: AbortSignal): Promise<CacheEntry> {
    const keys = [this.#keys.cached(key), this.#keys.flight(key)] as const
    const token = randomUUID()
    let waited = false
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      signal.throwIfAborted()
      const reply: unknown = await this.#client.runCommand('isopodEnterCache', [...keys, token, FLIGHT_MS])
      if (typeof reply === 'string') return { result: parseResult(JSON.parse(reply)) }
      if (reply === 1) return { flight: this.#flight(keys, token) }
      if (reply === 2) return { waited }
      waited = true
      await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  #flight(keys: readonly [string, string], token: string): Flight {
    const over = new AbortController()
    const prolong = async () =>
      void (await this.#client.runCommand('isopodProlongFlight', [keys[1], token, FLIGHT_MS]))
    void repeat(RENEWAL_MS, prolong, over.signal, () => {})
    const end = async (...how: (string | number)[]) => {
      over.abort()
      await this.#client.runCommand('isopodLeaveCache', [...keys, token, ...how])
    }
    const leave = () => end('alone', ALONE_MS)
    return {
      async land(result, ttlSeconds) {
        const text = JSON.stringify(result)
        await (text.length > LONGEST_RESULT ? leave() : end('landed', text, ttlSeconds))
      },
      leave,
      fail: () => end('failed'),
    }
  }
}
