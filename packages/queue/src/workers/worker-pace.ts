import type { Redis } from 'ioredis'
import { toError } from '../errors.ts'
import { writeAtLimit } from '../redis/at-limit.ts'
import type { Keys } from '../redis/keys.ts'
import { isRefusal } from '../redis/quarantine.ts'

/** Weight of the last job in the mean. */
const LAST_JOB = 0.1

/** The mean time that a job occupies a slot of this worker; recent jobs count most. */
export class WorkerPace {
  #seconds: number | undefined

  /** Counts a job that ran. */
  count(seconds: number): void {
    this.#seconds =
      this.#seconds === undefined ? seconds : this.#seconds * (1 - LAST_JOB) + seconds * LAST_JOB
  }

  /** Publishes the mean, for {@link predictWait}. */
  async write(redis: Redis, keys: Keys, workerId: string): Promise<void> {
    if (this.#seconds === undefined) return
    const write = () => writeAtLimit(redis, 'HSET', keys.jobSeconds, workerId, String(this.#seconds))
    await write().catch(async (error) => {
      if (!isRefusal(toError(error))) throw error
      // Another program has written a key of another type.
      await redis.unlink(keys.jobSeconds)
      await write()
    })
  }
}

/** Reads the mean of each of these workers; NaN of one that has not run a job. */
export async function readPaces(redis: Redis, keys: Keys, workerIds: readonly string[]): Promise<number[]> {
  if (workerIds.length === 0) return []
  const texts = await redis.hmget(keys.jobSeconds, ...workerIds).catch((error) => {
    if (!isRefusal(toError(error))) throw error
    return []
  })
  return workerIds.map((_, index) => Number.parseFloat(texts[index] ?? ''))
}

/** A live worker: its slots, and how long a job occupies one. */
interface PacedWorker {
  readonly slots: number
  readonly seconds: number
}

/**
 * The time until a job that is submitted now is taken, in seconds, if jobs go on as they did.
 *
 * @param ahead number of waiting jobs
 * @returns null if no worker is alive, or none has run a job
 */
export function predictWait(workers: readonly PacedWorker[], ahead: number, active: number): number | null {
  const paced = workers.filter(({ seconds }) => seconds > 0)
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0)
  const pacedSlots = paced.reduce((sum, worker) => sum + worker.slots, 0)
  if (pacedSlots === 0) return null
  const perSecond = paced.reduce((sum, worker) => sum + worker.slots / worker.seconds, 0)
  // Workers that have not run a job yet are as fast as the others.
  const throughput = (perSecond * slots) / pacedSlots
  const free = Math.max(0, slots - active)
  return Math.max(0, ahead - free) / throughput
}
