import type { IsopodClient, QueueStats } from '@isopod/client'
import { RequestRefused } from './http/problem.ts'

/** How long a count of waiting jobs is cached, in milliseconds. */
const CACHE_MS = 250
/** Seconds after which a caller may try again. */
const RETRY_SECONDS = 5

/** Refuses jobs while the queue is full, so that it cannot grow without bound. */
export class QueueGate {
  readonly #client: Pick<IsopodClient, 'queue'>
  /** Maximum number of waiting jobs. */
  readonly maximum: number
  #counted: { readonly at: number; readonly stats: Promise<QueueStats> } | undefined
  /** Jobs admitted since the last count. */
  #since = 0

  constructor(client: Pick<IsopodClient, 'queue'>, maximum: number) {
    this.#client = client
    this.maximum = maximum
  }

  /** Admits jobs. @throws {RequestRefused} 503 if the queue would exceed its maximum */
  async admit(count: number): Promise<void> {
    const { waiting, prioritized, delayed, predictedWaitSeconds } = await this.#stats()
    if (waiting + prioritized + delayed + this.#since + count > this.maximum) {
      const detail = `The queue is full: ${this.maximum} jobs may wait. Try again in ${RETRY_SECONDS} s.`
      const retryAfterSeconds = RETRY_SECONDS
      throw new RequestRefused({
        ...{ status: 503, code: 'queue_full', detail, retryAfterSeconds, predictedWaitSeconds },
      })
    }
    this.#since += count
  }

  /** Live workers, and how long a job would wait. */
  async outlook(): Promise<Pick<QueueStats, 'workers' | 'predictedWaitSeconds'>> {
    return await this.#stats()
  }

  #stats(): Promise<QueueStats> {
    if (this.#counted === undefined || this.#counted.at + CACHE_MS < performance.now()) {
      this.#counted = { at: performance.now(), stats: this.#client.queue() }
      this.#since = 0
    }
    return this.#counted.stats
  }
}
