import type { Redis } from 'ioredis'
import { TenantQueueFullError } from '../errors.ts'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import type { Keys } from '../redis/keys.ts'
import { healQueue } from '../redis/quarantine.ts'
import { priorityOf } from './turn-priority.ts'
import { ORDER_UNIT, TAKE_TURNS } from './turns-lua.ts'

/** How long the order of a tenant's jobs by their own priority is kept after its last change, in seconds. */
const ORDER_TTL_SECONDS = 86_400

/** A new job, as far as its turn depends on it. */
export interface TurnRequest {
  readonly id: string
  readonly job: { readonly tenant: string; readonly priority: number }
}

/** A job with its turn, as BullMQ's priority. */
export type WithTurn<T> = T & { readonly turn: number }

/** The turns of jobs: all tenants share the queue by their weights. Constant work for each tenant of a call. */
export class Turns {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #take: RedisScript
  /** Tenants whose jobs have different priorities of their own, as far as the last calls saw. */
  readonly #ordered = new Set<string>()

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis
    this.#keys = keys
    this.#take = defineScript(redis, 'isopodTakeTurns', 6, TAKE_TURNS)
  }

  /**
   * Takes the next turns for new jobs, in their order.
   *
   * @throws {TenantQueueFullError} if a tenant would have too many waiting jobs; no turn was taken
   */
  take<T extends TurnRequest>(requests: readonly T[]): Promise<WithTurn<T>[]> {
    return this.#takeFor(requests, 1)
  }

  /** Takes a new turn for a job that lost its own. @returns BullMQ's priority */
  async retake(request: TurnRequest): Promise<number> {
    const [{ turn } = { turn: 0 }] = await this.#takeFor([request], 0)
    return turn
  }

  async #takeFor<T extends TurnRequest>(requests: readonly T[], areNew: 0 | 1): Promise<WithTurn<T>[]> {
    if (requests.length === 0) return []
    const counts = new Map<string, number>()
    for (const { job } of requests) counts.set(job.tenant, (counts.get(job.tenant) ?? 0) + 1)
    const keys = this.#keys
    const queue = [keys.jobs('prioritized'), keys.jobs('id'), keys.jobs('pc')]
    const ours = [keys.turns, keys.turnClock, keys.tenantRules]
    const ask = () => this.#take(...queue, ...ours, keys.tag, areNew, ...[...counts].flat())
    let answer = await ask()
    if (String(answer) === 'broken') {
      await healQueue(this.#redis, keys.job(''))
      answer = await ask()
    }
    const [outcome, ...replies] = Array.isArray(answer) ? answer.map(String) : []
    if (outcome === 'full') throw full(replies)
    if (outcome !== 'ok') throw new Error(`Redis returned an unexpected reply: ${JSON.stringify(answer)}`)
    const next = new Map<string, { turn: number; step: number }>()
    for (const [place, tenant] of [...counts.keys()].entries()) {
      const [turn, weight, isOrdered] = replies.slice(3 * place, 3 * place + 3)
      next.set(tenant, { turn: Number(turn), step: 1 / Number(weight) })
      if (isOrdered === '1') this.#ordered.add(tenant)
      else this.#ordered.delete(tenant)
    }
    return requests.map((request) => {
      const of = next.get(request.job.tenant) ?? { turn: 1, step: 1 }
      const turn = priorityOf(of.turn)
      of.turn += of.step
      return { ...request, turn }
    })
  }

  /**
   * Notes the own priorities of jobs that were added, if jobs of their tenant have different ones. A job with a larger number lends
   * its turn to those with smaller ones.
   */
  async noteOrder(requests: readonly WithTurn<TurnRequest>[]): Promise<void> {
    for (const { job } of requests) if (job.priority > 0) this.#ordered.add(job.tenant)
    const noted = requests.filter(({ job }) => this.#ordered.has(job.tenant))
    if (noted.length === 0) return
    const pipeline = this.#redis.pipeline()
    for (const { id, job, turn } of noted) {
      const key = this.#keys.tenant('order', job.tenant)
      pipeline.zadd(key, job.priority * ORDER_UNIT + turn, id)
      pipeline.expire(key, ORDER_TTL_SECONDS)
    }
    await pipeline.exec()
  }
}

function full([tenant = '', queued = '', maximum = '']: readonly string[]): TenantQueueFullError {
  return new TenantQueueFullError(
    `tenant: ${tenant} has ${queued} waiting jobs, and at most ${maximum} may wait; submit again when some have started`,
  )
}
