import type { Redis } from 'ioredis'

/** How often the clock is read, in milliseconds; this also notices a dead connection. */
const INTERVAL_MS = 3000
/** Longest reading that replaces an earlier one, in milliseconds; a slower one is less exact than the steady clock. */
const MAX_READING_MS = 1000
/**
 * How far a host's clock may be from Redis', in milliseconds. BullMQ sets and judges the pauses of retries by the clock of the
 * host; they last up to 16 s.
 */
const MAX_DIFFERENCE_MS = 10_000

/**
 * The clock of Redis, which all processes of a deployment share. It decides about shared state, because a host's clock may be wrong.
 */
export class RedisClock {
  readonly #redis: Redis
  /** Add it to the steady clock of this process. */
  #offsetMs = 0
  /** The offset is exact to this number of milliseconds. */
  #toleranceMs = Number.POSITIVE_INFINITY

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Reads the clock now and from time to time, until the connection ends. */
  async start(): Promise<void> {
    await this.#read()
    const timer = setInterval(() => {
      if (this.#redis.status === 'ready') this.#read().catch(() => {})
    }, INTERVAL_MS).unref()
    this.#redis.once('end', () => clearInterval(timer))
  }

  /** The time in epoch milliseconds. */
  now(): number {
    return Math.floor(performance.now() + this.#offsetMs)
  }

  /** Why this process must take no jobs, in one sentence; undefined if the host's clock is right. */
  get problem(): string | undefined {
    const ahead = Date.now() - this.now()
    const difference = Math.abs(ahead) - this.#toleranceMs
    if (difference <= MAX_DIFFERENCE_MS) return undefined
    const seconds = Math.round(Math.abs(ahead) / 1000)
    return `the clock of this host is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of Redis`
  }

  async #read(): Promise<void> {
    const sent = performance.now()
    const [seconds, microseconds] = await this.#redis.time()
    const received = performance.now()
    const isFirst = this.#toleranceMs === Number.POSITIVE_INFINITY
    if (!isFirst && received - sent > MAX_READING_MS) return
    const time = Number(seconds) * 1000 + Number(microseconds) / 1000
    this.#offsetMs = time - (sent + received) / 2
    this.#toleranceMs = (received - sent) / 2
  }
}

/** Reads Redis' clock once, in epoch milliseconds. */
export async function readTime(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time()
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
}
