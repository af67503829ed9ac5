import type { Redis } from 'ioredis'
import { adviceFor, QueueFullError } from '../errors.ts'
import { writeAtLimit } from '../redis/at-limit.ts'
import type { Keys } from '../redis/keys.ts'
import { type QueueStats, readStats } from './queue-stats.ts'

/** How long a count of waiting jobs is used, in milliseconds; jobs that this process adds meanwhile count too. */
const COUNT_MS = 250
/** How long the operator's maximum is used, in milliseconds. */
const MAXIMUM_MS = 5000
/** Stores the operator's maximum for all producers. The last worker to start wins, as all workers of a deployment share it. */
export async function writeMaxWaiting(redis: Redis, keys: Keys, maximum: number | undefined): Promise<void> {
  await (maximum === undefined
    ? redis.unlink(keys.maxWaiting)
    : writeAtLimit(redis, 'SET', keys.maxWaiting, maximum))
}

/**
 * Refuses jobs while too many wait, so that the queue cannot grow without bound. Counts are a quarter of a second old, so several
 * producers together can exceed the maximum by what they add in that time.
 */
export class DepthGate {
  readonly #redis: Redis
  readonly #keys: Keys
  #maximum: { readonly at: number; readonly value: Promise<number | undefined> } | undefined
  #counted: { readonly at: number; readonly stats: Promise<QueueStats> } | undefined
  /** Jobs admitted since the last count. */
  #since = 0

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis
    this.#keys = keys
  }

  /** Admits jobs. @throws {QueueFullError} if the queue would exceed its maximum */
  async admit(count: number): Promise<void> {
    const maximum = count === 0 ? undefined : await this.#readMaximum()
    if (maximum === undefined) return
    const { waiting, prioritized, delayed, predictedWaitSeconds } = await this.#count()
    if (waiting + prioritized + delayed + this.#since + count > maximum) {
      throw queueFull(maximum, predictedWaitSeconds)
    }
    this.#since += count
  }

  /** How long a job that is submitted now would wait, in seconds; null if that cannot be predicted. */
  async predictWait(): Promise<number | null> {
    return (await this.#count()).predictedWaitSeconds
  }

  #readMaximum(): Promise<number | undefined> {
    if (this.#maximum === undefined || this.#maximum.at + MAXIMUM_MS < performance.now()) {
      this.#maximum = { at: performance.now(), value: this.#fetchMaximum() }
    }
    return this.#maximum.value
  }

  /** Something else than a whole number, which another program wrote, is no maximum. */
  async #fetchMaximum(): Promise<number | undefined> {
    const text = await this.#redis.get(this.#keys.maxWaiting).catch(() => null)
    const maximum = Number(text ?? Number.NaN)
    return Number.isInteger(maximum) && maximum > 0 ? maximum : undefined
  }

  #count(): Promise<QueueStats> {
    if (this.#counted === undefined || this.#counted.at + COUNT_MS < performance.now()) {
      this.#counted = { at: performance.now(), stats: readStats(this.#redis, this.#keys) }
      this.#since = 0
    }
    return this.#counted.stats
  }
}

function queueFull(maximum: number, predicted: number | null): QueueFullError {
  const { sentence, ...advice } = adviceFor(predicted)
  return new QueueFullError(`the queue is full: at most ${maximum} jobs may wait; ${sentence}`, advice)
}
