import type { Job } from '@isopod/protocol'
import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import { handleOf } from '../redis/job-handle.ts'
import type { Keys } from '../redis/keys.ts'
import { ruleOf, type TenantRules, writeTenantRules } from './tenant-rules.ts'
import { Turns } from './turns.ts'
import { ENTER_TENANT, FIND_MORE_URGENT, RENEW_TENANT } from './turns-lua.ts'

/** How long an entry of a running job outlives its last renewal, in milliseconds; longer than several renewals. */
const ENTRY_TTL_MS = 20_000
/** How long a parked job waits if no job of its tenant ends, in milliseconds, and how much longer for each other parked job. */
const PARKED_MS = 30_000
const PARKED_STEP_MS = 1000
const MAX_PARKED_MS = 3_600_000
/** How often a job may lend its turn; then it runs, so that smaller priorities cannot starve it. */
const MAX_LOANS = 20
/** Maximum number of parked jobs that are tried when a job has ended; those that were cancelled are skipped. */
const MAX_TRIED = 10

/** A taken job, as far as its tenant matters. */
export interface TakenJob {
  readonly id: string
  readonly job: Job
  /** Its turn, as BullMQ's priority; 0 if it has had it. */
  readonly turn: number
  readonly enqueuedAt: number
}

/** Why a taken job does not run now: its tenant runs its maximum, or a more urgent job of its tenant takes its turn. */
export type Postponement =
  | { readonly kind: 'parked'; readonly delayMs: number }
  | { readonly kind: 'lent'; readonly turn: number }

/** The parts of a {@link TenantGate}. */
export interface TenantGateParts {
  readonly redis: Redis
  readonly keys: Keys
  readonly jobs: Queue
  readonly rules: TenantRules
}

/**
 * Decides for a worker whether a job that was taken in its tenant's turn runs: it keeps the maximum of running jobs, and gives the
 * turn to the tenant's most urgent job. Asks Redis only about tenants with a maximum, and about jobs with a priority of their own.
 */
export class TenantGate {
  readonly #parts: TenantGateParts
  readonly #turns: Turns
  readonly #enter: RedisScript
  readonly #renew: RedisScript
  readonly #findMoreUrgent: RedisScript
  /** Running jobs of tenants with a maximum → their tenant. */
  readonly #running = new Map<string, string>()
  /** Jobs that this worker is parking → their tenant. */
  readonly #parking = new Map<string, string>()

  constructor(parts: TenantGateParts) {
    this.#parts = parts
    const { redis } = parts
    this.#turns = new Turns(parts)
    this.#enter = defineScript(redis, 'isopodEnterTenant', 2, ENTER_TENANT)
    this.#renew = defineScript(redis, 'isopodRenewTenant', 1, RENEW_TENANT)
    this.#findMoreUrgent = defineScript(redis, 'isopodFindMoreUrgent', 2, FIND_MORE_URGENT)
  }

  /** Publishes the rules for producers. */
  async publish(): Promise<void> {
    const { redis, keys, rules } = this.#parts
    await writeTenantRules(redis, keys, rules)
  }

  /** Lets a job run, or says why it must not. Call {@link release} when it has ended, or was put back. */
  async admit(taken: TakenJob): Promise<Postponement | undefined> {
    if (taken.job.priority > 0 && taken.turn > 0) {
      const turn = await this.#lend(taken)
      if (turn !== undefined) return { kind: 'lent', turn }
    }
    const { id, job, enqueuedAt } = taken
    const { maxInFlight } = ruleOf(this.#parts.rules, job.tenant)
    if (maxInFlight === undefined) return undefined
    const keys = this.#parts.keys
    const parked = Number(
      await this.#enter(
        keys.tenant('running', job.tenant),
        keys.tenant('parked', job.tenant),
        id,
        maxInFlight,
        ENTRY_TTL_MS,
        enqueuedAt,
      ),
    )
    if (parked > 0) {
      this.#parking.set(id, job.tenant)
      const delayMs = Math.min(MAX_PARKED_MS, PARKED_MS + (parked - 1) * PARKED_STEP_MS)
      return { kind: 'parked', delayMs }
    }
    this.#running.set(id, job.tenant)
    return undefined
  }

  /** A job has ended here, and the next parked job of its tenant takes a turn; or it is parked now. */
  async release(id: string): Promise<void> {
    const parkedOf = this.#parking.get(id)
    if (parkedOf !== undefined) return await this.#catchUp(id, parkedOf)
    const tenant = this.#running.get(id)
    if (tenant === undefined) return
    this.#running.delete(id)
    const { redis, keys } = this.#parts
    await redis.zrem(keys.tenant('running', tenant), id)
    for (let tried = 0; tried < MAX_TRIED; tried += 1) {
      const [next] = await redis.zpopmin(keys.tenant('parked', tenant))
      if (next === undefined) return
      if (await this.#bringBack(next, tenant)) return
    }
  }

  /** A job is parked now. If its turn came before that, nothing else would bring it back soon. */
  async #catchUp(id: string, tenant: string): Promise<void> {
    this.#parking.delete(id)
    const { redis, keys } = this.#parts
    const waits = await redis.zscore(keys.tenant('parked', tenant), id)
    if (waits === null) await this.#bringBack(id, tenant)
  }

  /** Gives a parked job a turn. @returns false if it was cancelled, or is not parked yet and catches up by itself */
  async #bringBack(id: string, tenant: string): Promise<boolean> {
    const priority = await this.#turns.retake({ id, job: { tenant, priority: 0 } })
    const parked = handleOf(this.#parts.jobs, id)
    return await parked
      .changePriority({ priority })
      .then(() => parked.promote())
      .then(
        () => true,
        () => false,
      )
  }

  /** Renews the entries of running jobs, and the published rules if Redis has lost them. */
  async renew(): Promise<void> {
    const { redis, keys, rules } = this.#parts
    const hasRules = Object.keys(rules).length > 0
    if (hasRules && (await redis.exists(keys.tenantRules)) === 0) await this.publish()
    const byTenant = Map.groupBy(this.#running, ([, tenant]) => tenant)
    for (const [tenant, entries] of byTenant) {
      await this.#renew(keys.tenant('running', tenant), ENTRY_TTL_MS, ...entries.map(([id]) => id))
    }
  }

  /** Gives the turn of a taken job to a more urgent one. @returns the turn that the taken job gets for it */
  async #lend({ id, job, turn }: TakenJob): Promise<number | undefined> {
    const { keys, jobs } = this.#parts
    const found = await this.#findMoreUrgent(
      keys.tenant('order', job.tenant),
      keys.requeues(id),
      keys.job(''),
      id,
      job.priority,
      turn,
      MAX_LOANS,
    )
    if (!Array.isArray(found)) return undefined
    const [urgentId, urgentTurn] = found
    const isMoved = await handleOf(jobs, String(urgentId))
      .changePriority({ priority: turn, lifo: true })
      .then(
        () => true,
        // It was cancelled meanwhile.
        () => false,
      )
    return isMoved ? Number(urgentTurn) : undefined
  }
}
