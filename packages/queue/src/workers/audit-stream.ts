import type { Redis } from 'ioredis'
import type { Observe } from '../consumer-events.ts'
import type { Keys } from '../redis/keys.ts'

/** Entries that may wait for Redis at once; beyond it new ones are given up rather than kept in memory without end. */
const MAX_UNSENT = 10_000

/** One entry of the audit stream. */
export interface AuditEntry {
  /** What happened, one word. */
  readonly event: string
  /** Id of the job. */
  readonly job: string
  /** The whole event; only asked for if it is kept. */
  json(): string
}

/** A Redis stream that is only ever appended to, and forgets its oldest entries beyond a length. */
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

  /** Sends an entry without waiting for it; one that does not arrive is told to the observer. */
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

  /** Resolves when Redis has everything that was appended so far. */
  async idle(): Promise<void> {
    await Promise.all(this.#unsent)
  }
}
