import type { IsopodClient } from '@isopod/client'
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
  #counted: { readonly at: number; readonly waiting: Promise<number> } | undefined
  /** Jobs admitted since the last count. */
  #since = 0

  constructor(client: Pick<IsopodClient, 'queue'>, maximum: number) {
    this.#client = client
    this.maximum = maximum
  }

  /** Admits jobs. @throws {RequestRefused} 503 if the queue would exceed its maximum */
  async admit(count: number): Promise<void> {
    if (this.#counted === undefined || this.#counted.at + CACHE_MS < performance.now()) {
      this.#counted = { at: performance.now(), waiting: this.#count() }
      this.#since = 0
    }
    const waiting = await this.#counted.waiting
    if (waiting + this.#since + count > this.maximum) {
      const detail = `The queue is full: ${this.maximum} jobs may wait. Try again in ${RETRY_SECONDS} s.`
      throw new RequestRefused({ status: 503, code: 'queue_full', detail, retryAfterSeconds: RETRY_SECONDS })
    }
    this.#since += count
  }

  async #count(): Promise<number> {
    const { waiting, prioritized, delayed } = await this.#client.queue()
    return waiting + prioritized + delayed
  }
}
