import type { Redis } from 'ioredis'
import { IdempotencyConflictError } from '../errors.ts'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import type { Keys } from '../redis/keys.ts'

/**
 * How long a submit may take from the claim of its keys until its jobs exist, in milliseconds. A claim that is older and has neither a
 * job nor a result belongs to a submit that died.
 */
const SUBMIT_MS = 600_000

/**
 * Claims the idempotency keys of a list of jobs, all or none.
 *
 * KEYS: of each job its fingerprint, its stored result and its hash. ARGV: time to live of a fingerprint in seconds; how long a submit
 * may take in milliseconds; the fingerprint of each job.
 *
 * Returns the place of the first conflict from 0, or a list with one of {@link CLAIMS} for each job, as its number from 1.
 */
const CLAIM = `
local ttl_ms = tonumber(ARGV[1]) * 1000
local claims, mine = {}, {}
for job = 1, #ARGV - 2 do
  local key, fingerprint = KEYS[3 * job - 2], ARGV[job + 2]
  local found = mine[key] or redis.call('GET', key)
  local exists = mine[key] ~= nil or redis.call('EXISTS', KEYS[3 * job - 1], KEYS[3 * job]) > 0
  local age = found and not mine[key] and ttl_ms - redis.call('PTTL', key) or 0
  local is_used = found and (exists or age < tonumber(ARGV[2]))
  -- Nothing is written yet: a refused list claims no key.
  if is_used and found ~= fingerprint then return job - 1 end
  claims[job] = exists and 1 or is_used and 2 or 3
  if not is_used then mine[key] = fingerprint end
end
for key, fingerprint in pairs(mine) do redis.call('SET', key, fingerprint, 'EX', ARGV[1]) end
return claims
`

const CLAIMS = ['existing', 'pending', 'claimed'] as const

/**
 * Claim of a key: `existing`, there is a job or a result; `pending`, an earlier submit of the same job has claimed the key, and its job
 * is not there yet; `claimed`, by this call.
 */
export type KeyClaim = (typeof CLAIMS)[number]

/** A job with an idempotency key. */
export interface KeyedJob {
  readonly id: string
  readonly fingerprint: string
}

/** Idempotency keys: remembers the fingerprint of the job that first used each. */
export class IdempotencyKeys {
  readonly #keys: Keys
  readonly #ttlSeconds: number
  readonly #claim: RedisScript

  constructor(redis: Redis, keys: Keys, ttlSeconds: number) {
    this.#keys = keys
    this.#ttlSeconds = ttlSeconds
    this.#claim = defineScript(redis, 'isopodClaimKeys', 'varies', CLAIM)
  }

  /**
   * Claims the keys of a whole list in one step.
   *
   * @param nameOf the job at a place of the list in the error's message: empty, or `jobs[3].`
   * @throws {IdempotencyConflictError} if a key is in use for another job; no key of the list is claimed then
   */
  async claim(jobs: readonly KeyedJob[], nameOf: (place: number) => string): Promise<KeyClaim[]> {
    if (jobs.length === 0) return []
    const keys = jobs.flatMap(({ id }) => [
      this.#keys.fingerprint(id),
      this.#keys.result(id),
      this.#keys.job(id),
    ])
    const fingerprints = jobs.map(({ fingerprint }) => fingerprint)
    const reply = await this.#claim(keys.length, ...keys, this.#ttlSeconds, SUBMIT_MS, ...fingerprints)
    if (typeof reply === 'number') {
      throw new IdempotencyConflictError(
        `${nameOf(reply)}idempotencyKey: was used before for a job that differs from this one; use another key, or send the same job`,
      )
    }
    if (!Array.isArray(reply))
      throw new Error(`Redis returned an unexpected reply to a claim: ${JSON.stringify(reply)}`)
    return reply.map((number) => CLAIMS[Number(number) - 1] ?? 'pending')
  }
}
