import type { Redis } from 'ioredis'
import { StorageFullError } from '../errors.ts'
import { interval } from './interval.ts'

/** From this share of `maxmemory` submits are refused; the rest is for results. */
const SUBMIT_WATERMARK = 0.9
/** How long a measurement is used for submits, in milliseconds. */
const CACHE_MS = 3000
/** How often a worker checks, in milliseconds. */
const CHECK_INTERVAL_MS = 1000

/** Memory of a Redis, in bytes. */
export interface RedisMemory {
  readonly used: number
  /** Infinite without `maxmemory`, and if Redis evicts keys instead of refusing writes. */
  readonly maximum: number
}

/** Measures the memory of a Redis. */
export async function readMemory(redis: Redis): Promise<RedisMemory> {
  const info = await redis.info('memory')
  const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0)
  const isBounded = /^maxmemory_policy:noeviction\r?$/m.test(info)
  return {
    // Redis does not count buffers of replicas and of the append-only file.
    used: field('used_memory') - field('mem_not_counted_for_evict'),
    maximum: (isBounded && field('maxmemory')) || Number.POSITIVE_INFINITY,
  }
}

/** Refuses jobs before Redis is full, so that it has room for the results of those that it holds. */
export class MemoryGate {
  readonly #redis: Redis
  #measured: { readonly at: number; readonly memory: Promise<RedisMemory> } | undefined
  /** Bytes admitted since the last measurement. */
  #since = 0

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Admits jobs of so many bytes, all or none. @throws {StorageFullError} if Redis would exceed the watermark */
  async admit(bytes: number): Promise<void> {
    if (this.#measured === undefined || this.#measured.at + CACHE_MS < performance.now()) this.#measure()
    // What was admitted since may have been removed again.
    if (bytes > (await this.#room()) && this.#since > 0) this.#measure()
    if (bytes > (await this.#room())) {
      throw new StorageFullError(
        `Redis is nearly full: from ${SUBMIT_WATERMARK * 100} % of its maxmemory it takes no jobs; nothing was enqueued`,
      )
    }
    this.#since += bytes
  }

  #measure(): void {
    this.#measured = { at: performance.now(), memory: readMemory(this.#redis) }
    this.#since = 0
  }

  async #room(): Promise<number> {
    const { used, maximum } = (await this.#measured?.memory) ?? { used: 0, maximum: Number.POSITIVE_INFINITY }
    return maximum * SUBMIT_WATERMARK - used - this.#since
  }
}

/** Notices when Redis reaches its `maxmemory`, and when it has room again. */
export class MemoryWatch {
  readonly #redis: Redis
  readonly #onChange: (full: boolean) => void
  /** Whether Redis was at its `maxmemory` at the last check. */
  full = false

  constructor(redis: Redis, onChange: (full: boolean) => void) {
    this.#redis = redis
    this.#onChange = onChange
  }

  /** Checks now, and every second until the signal aborts. */
  async start(ended: AbortSignal, report: (thrown: unknown) => void): Promise<void> {
    await this.#check()
    void interval(CHECK_INTERVAL_MS, () => this.#check(), ended, report)
  }

  async #check(): Promise<void> {
    const { used, maximum } = await readMemory(this.#redis)
    if (used >= maximum === this.full) return
    this.full = !this.full
    this.#onChange(this.full)
  }
}

/** Whether Redis refused a command because it is at its `maxmemory`. */
export function isFull(cause: unknown): boolean {
  return cause instanceof Error && /\bOOM\b/.test(cause.message)
}
