import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { adviceFor, TenantQueueFullError } from '../errors.ts'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import { handleOf } from '../redis/job-handle.ts'
import type { Keys } from '../redis/keys.ts'
import { healQueue } from '../redis/quarantine.ts'
import { priorityOf } from './turn-priority.ts'
import { ORDER_UNIT, TAKE_TURNS } from './turns-lua.ts'

/** How long the order of a tenant's jobs by their own priority is kept after its last change, in seconds. */
const ORDER_TTL_SECONDS = 86_400
/** How long the last turn of a tenant is used for its next job, in milliseconds. */
const REMEMBERED_MS = 10_000
/** Maximum number of tenants whose last turn is kept. */
const MAX_REMEMBERED = 1000

/** A new job, as far as its turn depends on it. */
export interface TurnRequest {
  readonly id: string
  readonly job: { readonly tenant: string; readonly priority: number }
}

/** A job with its turn, as BullMQ's priority; `isExpected`: it takes the turn when it is in the queue. */
export type WithTurn<T> = T & { readonly turn: number; readonly isExpected: boolean }

/** The parts of {@link Turns}. */
export interface TurnsParts {
  readonly redis: Redis
  readonly keys: Keys
  readonly jobs: Queue
}

/** Predicts how long a job would wait, in seconds; null if that cannot be predicted. */
type PredictWait = () => Promise<number | null>

/** When turns are taken: before jobs are added; again, for jobs that were added long ago; or right after one job was added, its id. */
type Moment = 'before' | 'again' | { readonly after: string }

/**
 * The turns of jobs: all tenants share the queue by their weights. Constant work for each tenant of a call.
 *
 * A job that is submitted alone does not wait for a round trip to get its turn. It is added with the last turn of its tenant, then
 * takes its own, and moves there if that is earlier. So it can be one turn early, or as early as a job was that its tenant submitted
 * ten seconds before.
 */
export class Turns {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #jobs: Queue
  readonly #take: RedisScript
  /** The last turns of tenants without a maximum of waiting jobs. */
  readonly #last = new Map<string, { readonly turn: number; readonly at: number }>()
  /** Tenants whose jobs have different priorities of their own, as far as the last calls saw. */
  readonly #ordered = new Set<string>()

  constructor({ redis, keys, jobs }: TurnsParts) {
    this.#redis = redis
    this.#keys = keys
    this.#jobs = jobs
    this.#take = defineScript(redis, 'isopodTakeTurns', 6, TAKE_TURNS)
  }

  /**
   * Gives new jobs their turns, in their order. Call {@link settle} when they are in the queue.
   *
   * @param predictWait predicts how long a job would wait, in seconds, for the error
   * @throws {TenantQueueFullError} if a tenant would have too many waiting jobs; no turn was taken
   */
  async take<T extends TurnRequest>(
    requests: readonly T[],
    predictWait?: PredictWait,
  ): Promise<WithTurn<T>[]> {
    const [request] = requests
    const expected = requests.length === 1 && request && this.#expect(request.job.tenant)
    if (request && expected) return [{ ...request, turn: expected, isExpected: true }]
    return this.#takeFor(requests, 'before', predictWait)
  }

  /** Takes the turns of jobs that were added with an expected one, and notes the own priorities of all. */
  async settle(added: readonly WithTurn<TurnRequest>[]): Promise<void> {
    const settled = await Promise.all(added.map((job) => (job.isExpected ? this.#confirm(job) : job)))
    await this.#noteOrder(settled)
  }

  /** Takes a new turn for a job that lost its own. @returns BullMQ's priority */
  async retake(request: TurnRequest): Promise<number> {
    const [{ turn } = { turn: 0 }] = await this.#takeFor([request], 'again')
    return turn
  }

  /** The last turn of a tenant, once: jobs that are submitted at the same time wait for theirs. */
  #expect(tenant: string): number | undefined {
    const last = this.#last.get(tenant)
    this.#last.delete(tenant)
    return last === undefined || last.at + REMEMBERED_MS < performance.now() ? undefined : last.turn
  }

  #remember(tenant: string, turn: number): void {
    if (this.#last.size >= MAX_REMEMBERED) this.#last.clear()
    this.#last.set(tenant, { turn, at: performance.now() })
  }

  /** Takes the turn of a job that is in the queue, and moves it there if it is earlier, as after the numbers started again. */
  async #confirm<T extends TurnRequest>(job: WithTurn<T>): Promise<WithTurn<T>> {
    // The job is in the queue: an error is none of the submit.
    const [taken = job] = await this.#takeFor([job], { after: job.id }).catch(() => [])
    if (taken.turn >= job.turn) return job
    // It may have been taken meanwhile.
    await handleOf(this.#jobs, job.id)
      .changePriority({ priority: taken.turn })
      .catch(() => {})
    return taken
  }

  async #takeFor<T extends TurnRequest>(
    requests: readonly T[],
    moment: Moment,
    predictWait?: PredictWait,
  ): Promise<WithTurn<T>[]> {
    if (requests.length === 0) return []
    const counts = new Map<string, number>()
    for (const { job } of requests) counts.set(job.tenant, (counts.get(job.tenant) ?? 0) + 1)
    const keys = this.#keys
    const queue = [keys.jobs('prioritized'), keys.jobs('id'), keys.jobs('pc')]
    const ours = [keys.turns, keys.turnClock, keys.tenantRules]
    const when = typeof moment === 'string' ? moment : moment.after
    const ask = () => this.#take(...queue, ...ours, keys.tag, when, ...[...counts].flat())
    let answer = await ask()
    if (String(answer) === 'broken') {
      await healQueue(this.#redis, keys.job(''))
      answer = await ask()
    }
    const [outcome, ...replies] = Array.isArray(answer) ? answer.map(String) : []
    if (outcome === 'full') throw full(replies, (await predictWait?.()) ?? null)
    if (outcome !== 'ok') throw new Error(`Redis returned an unexpected reply: ${JSON.stringify(answer)}`)
    const next = new Map<string, { turn: number; step: number }>()
    for (const [place, tenant] of [...counts.keys()].entries()) {
      const [turn, weight, isOrdered, hasMaximum] = replies.slice(4 * place, 4 * place + 4)
      next.set(tenant, { turn: Number(turn), step: 1 / Number(weight) })
      if (isOrdered === '1') this.#ordered.add(tenant)
      else this.#ordered.delete(tenant)
      if (hasMaximum === '1') this.#last.delete(tenant)
      else this.#remember(tenant, priorityOf(Number(turn) + ((counts.get(tenant) ?? 1) - 1) / Number(weight)))
    }
    return requests.map((request) => {
      const of = next.get(request.job.tenant) ?? { turn: 1, step: 1 }
      const turn = priorityOf(of.turn)
      of.turn += of.step
      return { ...request, turn, isExpected: false }
    })
  }

  /**
   * Notes the own priorities of jobs that were added, if jobs of their tenant have different ones. A job with a larger number lends
   * its turn to those with smaller ones.
   */
  async #noteOrder(requests: readonly WithTurn<TurnRequest>[]): Promise<void> {
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

/** @param predicted wait of a job in the queue of all tenants, in seconds */
function full(
  [tenant = '', queued = '', maximum = '']: readonly string[],
  predicted: number | null,
): TenantQueueFullError {
  const { sentence, ...advice } = adviceFor(predicted)
  return new TenantQueueFullError(
    `tenant: ${tenant} has ${queued} waiting jobs, and at most ${maximum} may wait; ${sentence}`,
    advice,
  )
}
