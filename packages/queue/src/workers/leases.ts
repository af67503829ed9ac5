import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import { forgetSlotsOfDead, writeSlots } from './worker-slots.ts'

/** How often a worker renews its lease, in milliseconds. */
export const LEASE_RENEWAL_MS = 5000
const LEASE_TTL_MS = 20_000

/** Leases of workers, and roles that only one worker can have. */
export class Leases {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #workerId: string
  readonly #roles = new Set<string>()
  #slots = 0

  constructor(redis: Redis, keys: Keys, workerId: string) {
    this.#redis = redis
    this.#keys = keys
    this.#workerId = workerId
  }

  /** Renews this worker's lease for 20 s, and its number of slots. */
  async renew(): Promise<void> {
    await this.#redis.set(this.#keys.lease(this.#workerId), String(Date.now()), 'PX', LEASE_TTL_MS)
    if (this.#slots > 0) await writeSlots(this.#redis, this.#keys, [this.#workerId, this.#slots])
  }

  /** Publishes this worker's number of slots, and removes those of dead workers. */
  async offer(slots: number): Promise<void> {
    this.#slots = slots
    await writeSlots(this.#redis, this.#keys, [this.#workerId, slots])
    await forgetSlotsOfDead(this.#redis, this.#keys)
  }

  /** Which of these workers are alive. Containers of the others may be removed. */
  async alive(workerIds: readonly string[]): Promise<Set<string>> {
    if (workerIds.length === 0) return new Set()
    const leases = await this.#redis.mget(workerIds.map((id) => this.#keys.lease(id)))
    return new Set(workerIds.filter((_, index) => leases[index] != null))
  }

  /** Takes or keeps a role for `ttlMs`; false if another worker has it. */
  async claim(role: string, ttlMs: number): Promise<boolean> {
    const key = this.#keys.claim(role)
    // A claim of ours expires. One that does not was written by another program, and would block the role.
    if ((await this.#redis.pttl(key)) === -1) await this.#redis.unlink(key)
    const taken = await this.#redis.set(key, this.#workerId, 'PX', ttlMs, 'NX')
    if (taken !== 'OK') {
      if ((await this.#redis.get(key)) !== this.#workerId) return false
      await this.#redis.pexpire(key, ttlMs)
    }
    this.#roles.add(role)
    return true
  }

  /** Releases the lease and all roles, so that other workers need not wait until they expire. */
  async release(): Promise<void> {
    this.#slots = 0
    await this.#redis.del(this.#keys.lease(this.#workerId))
    await writeSlots(this.#redis, this.#keys, [this.#workerId, 0])
    for (const role of this.#roles) {
      const key = this.#keys.claim(role)
      if ((await this.#redis.get(key)) === this.#workerId) await this.#redis.del(key)
    }
    this.#roles.clear()
  }
}
