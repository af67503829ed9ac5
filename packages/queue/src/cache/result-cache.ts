import { randomUUID } from 'node:crypto'
import type { Result } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import { interval } from '../redis/interval.ts'
import type { Keys } from '../redis/keys.ts'
import { parseResult } from '../results/read-result.ts'

/** Time to live of a flight whose worker does not renew it, in milliseconds. */
const FLIGHT_MS = 10_000
const RENEWAL_MS = 3000
/** How long equal jobs do not wait for each other after a result that was not kept, in milliseconds. */
const SKIP_MS = 60_000
/** Maximum length of a kept result as JSON; Redis holds all results in memory. */
const MAX_RESULT_LENGTH = 256 * 1024

/**
 * Looks a result up. Without one, starts a flight unless there is one.
 *
 * KEYS: result, flight. ARGV: token of the caller, how long the flight lasts in milliseconds.
 * Returns the result; 1 for the caller that makes it; 0 while another caller makes it; 2 if no caller waits.
 */
export const ENTER = `
local found = redis.call('GET', KEYS[1])
if found then return found end
if redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end
local holder = redis.call('GET', KEYS[2])
-- The client repeats a command if the connection broke before the reply.
if holder == ARGV[1] then return 1 end
return holder == 'skip' and 2 or 0
`

/** Renews a flight. KEYS: flight. ARGV: its token, how long it lasts in milliseconds. */
const RENEW = `
return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0
`

/**
 * Ends a flight. KEYS: result, flight. ARGV: its token; `commit`, the result and its time to live in seconds; `skip` and how long
 * in milliseconds; or `release`.
 */
const END = `
if ARGV[2] == 'commit' then redis.call('SET', KEYS[1], ARGV[3], 'EX', ARGV[4]) end
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
if ARGV[2] == 'skip' then redis.call('SET', KEYS[2], 'skip', 'PX', ARGV[3]) else redis.call('DEL', KEYS[2]) end
return 1
`

/** The right to make a result that equal jobs wait for. Its holder calls exactly one of the methods. */
export interface Singleflight {
  /** Keeps the result for a number of seconds; too large a result is not kept, as with `skip`. */
  commit(result: Result, ttlSeconds: number): Promise<void>
  /** The result is not to be kept: for a minute, equal jobs run without waiting for each other. */
  skip(): Promise<void>
  /** There is no result: the next equal job makes it. */
  release(): Promise<void>
}

/** Reply of the cache: a result; a flight for the caller that makes it; `pending`, ask again later; `skip`, run without the cache. */
export type CacheEntry =
  | { readonly type: 'hit'; readonly result: Result }
  | { readonly type: 'flight'; readonly flight: Singleflight }
  | { readonly type: 'pending' }
  | { readonly type: 'skip' }

/** Results of jobs that ask for it; of equal jobs at the same time only one runs. */
export class ResultCache {
  readonly #keys: Keys
  readonly #enter: RedisScript
  readonly #renew: RedisScript
  readonly #end: RedisScript

  constructor(redis: Redis, keys: Keys) {
    this.#keys = keys
    this.#enter = defineScript(redis, 'isopodCacheEnter', 2, ENTER)
    this.#renew = defineScript(redis, 'isopodCacheRenew', 1, RENEW)
    this.#end = defineScript(redis, 'isopodCacheEnd', 2, END)
  }

  /**
   * Looks a result up, without waiting for one that another job makes.
   *
   * @param key equal for equal jobs, hexadecimal digits
   */
  async enter(key: string): Promise<CacheEntry> {
    const keys = [this.#keys.cached(key), this.#keys.flight(key)] as const
    const token = randomUUID()
    const reply = await this.#enter(...keys, token, FLIGHT_MS)
    if (typeof reply === 'string') return { type: 'hit', result: parseResult(JSON.parse(reply)) }
    if (reply === 1) return { type: 'flight', flight: this.#flight(keys, token) }
    return { type: reply === 2 ? 'skip' : 'pending' }
  }

  #flight(keys: readonly [string, string], token: string): Singleflight {
    const ended = new AbortController()
    void interval(
      RENEWAL_MS,
      () => this.#renew(keys[1], token, FLIGHT_MS),
      ended.signal,
      () => {},
    )
    const end = async (...how: (string | number)[]) => {
      ended.abort()
      await this.#end(...keys, token, ...how)
    }
    const skip = () => end('skip', SKIP_MS)
    return {
      async commit(result, ttlSeconds) {
        const text = JSON.stringify(result)
        await (text.length > MAX_RESULT_LENGTH ? skip() : end('commit', text, ttlSeconds))
      },
      skip,
      release: () => end('release'),
    }
  }
}
