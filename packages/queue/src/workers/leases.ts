import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { writeAtLimit } from '../redis/at-limit.ts'
import type { Keys } from '../redis/keys.ts'
import { renewDeployment } from './deployment.ts'
import { WorkerPace } from './worker-pace.ts'
import { forgetSlotsOfDead, writeSlots } from './worker-slots.ts'

/** How often a worker renews its lease, in milliseconds. */
export const LEASE_RENEWAL_MS = 5000
const LEASE_TTL_MS = 20_000
/** Age from which a renewal shows that Redis is out of reach, in milliseconds: two were missed. */
const STALE_MS = 2 * LEASE_RENEWAL_MS + 2000

/** Leases of workers, and roles that only one worker can have. */
export class Leases {
  /** The id of the deployment, which is renewed with the lease once it is known. */
  deployment: string | undefined
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #workerId: string
  /** This process; a worker that is restarted keeps its id. */
  readonly #process = randomUUID()
  readonly #roles = new Set<string>()
  /** How fast this worker runs jobs. */
  readonly pace = new WorkerPace()
  #slots = 0
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(redis: Redis, keys: Keys, workerId: string) {
    this.#redis = redis
    this.#keys = keys
    this.#workerId = workerId
  }

  /** Whether the lease was renewed lately; otherwise Redis is out of reach, whatever the connection says. */
  get isFresh(): boolean {
    return performance.now() - this.#renewedAt < STALE_MS
  }

  /** This process as holder of its lease: id of the worker, and a random word. */
  get holder(): string {
    return `${this.#workerId} ${this.#process}`
  }

  /** Renews this worker's lease for 20 s, its number of slots and its pace, and the id of the deployment. */
  async renew(): Promise<void> {
    const key = this.#keys.lease(this.#workerId)
    await writeAtLimit(this.#redis, 'SET', key, this.#process, 'PX', LEASE_TTL_MS)
    this.#renewedAt = performance.now()
    if (this.#slots > 0) {
      await writeSlots(this.#redis, this.#keys, [this.#workerId, this.#slots])
      await this.pace.write(this.#redis, this.#keys, this.#workerId)
    }
    if (this.deployment !== undefined) await renewDeployment(this.#redis, this.#keys, this.deployment)
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

  /** How many of these holders still hold their lease. */
  async held(holders: readonly string[]): Promise<number> {
    if (holders.length === 0) return 0
    const parts = holders.map((holder) => holder.split(' '))
    const leases = await this.#redis.mget(parts.map(([id = '']) => this.#keys.lease(id)))
    return parts.filter(([, process], index) => leases[index] === process).length
  }

  /** Takes or keeps a role for `ttlMs`; false if another worker has it. */
  async claim(role: string, ttlMs: number): Promise<boolean> {
    const key = this.#keys.claim(role)
    // A claim of ours expires. One that does not was written by another program, and would block the role.
    if ((await this.#redis.pttl(key)) === -1) await this.#redis.unlink(key)
    const taken = await writeAtLimit(this.#redis, 'SET', key, this.#workerId, 'PX', ttlMs, 'NX')
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
    await this.#redis.hdel(this.#keys.jobSeconds, this.#workerId).catch(() => {})
    for (const role of this.#roles) {
      const key = this.#keys.claim(role)
      if ((await this.#redis.get(key)) === this.#workerId) await this.#redis.del(key)
    }
    this.#roles.clear()
  }
}
