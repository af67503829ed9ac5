import type { Redis } from 'ioredis'
import type { Observe } from '../consumer-events.ts'
import type { Keys } from '../redis/keys.ts'

/** Maximum number of unsent entries; further ones are dropped to bound the memory. */
const MAX_UNSENT = 10_000

/** One entry of the audit stream. */
export interface AuditEntry {
  /** What happened, one word. */
  readonly event: string
  /** Id of the job. */
  readonly job: string
  /** The whole event; called only if it is stored. */
  json(): string
}

/** An append-only Redis stream of bounded length. */
export class AuditStream {
  readonly #redis: Redis
  readonly #key: string
  readonly #length: number
  readonly #observe: Observe
  readonly #unsent = new Set<Promise<unknown>>()

  constructor(redis: Redis, keys: Keys, length: number, observe: Observe) {
    this.#redis = redis
    this.#key = keys.audit
    this.#length = length
    this.#observe = observe
  }

  /** Sends an entry without waiting; the observer is called if it fails. */
  append({ event, job, json }: AuditEntry): void {
    if (this.#unsent.size >= MAX_UNSENT) {
      this.#observe({ type: 'auditDropped' })
      return
    }
    const sending: Promise<unknown> = this.#redis
      .xadd(this.#key, 'MAXLEN', '~', this.#length, '*', 'event', event, 'job', job, 'entry', json())
      .catch(() => this.#observe({ type: 'auditDropped' }))
      .finally(() => this.#unsent.delete(sending))
    this.#unsent.add(sending)
  }

  /** Resolves when Redis has all entries so far. */
  async idle(): Promise<void> {
    await Promise.all(this.#unsent)
  }
}
