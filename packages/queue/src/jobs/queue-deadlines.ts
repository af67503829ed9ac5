import type { Job } from '@isopod/protocol'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import { isSafeId } from '../redis/safe-id.ts'
import { type CancelParts, cancelWaiting } from './cancel.ts'
import { readStoredJob } from './stored-job.ts'

/** Maximum number of deadlines in one read. */
const PAGE = 100
/** How long after a deadline its timer fires, in milliseconds: after the clock of Redis has passed it. */
const GRACE_MS = 50

/** Epoch milliseconds of Redis, whose clock is the only one that decides. Removes a key of another type. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end
`

/** Notes deadlines. KEYS: deadlines. ARGV: for each job its id and its seconds. A deadline that exists stays. */
const NOTE = `${NOW}
for at = 1, #ARGV, 2 do redis.call('ZADD', KEYS[1], 'NX', now + ARGV[at + 1] * 1000, ARGV[at]) end
return 0
`

/** KEYS: deadlines. ARGV: maximum number. Returns the ids of jobs whose deadline has passed. */
const PASSED = `${NOW}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
`

/** The reason in the result of a job that no worker took in time. */
export function expiryMessage(seconds: number): string {
  return `No worker took the job within ${seconds} s (expiresInSeconds)`
}

/** Whether a job has waited for longer than it may. */
export function isExpired({ expiresInSeconds }: Job, waitedMs: number): boolean {
  return expiresInSeconds !== undefined && waitedMs >= expiresInSeconds * 1000
}

/**
 * Deadlines of waiting jobs. A worker that takes a job checks its deadline; the others are found here, by workers and by callers that
 * wait, so that a job expires even if no worker lives.
 */
export class QueueDeadlines {
  readonly #parts: CancelParts
  readonly #note: RedisScript
  readonly #passed: RedisScript
  /** Timers of the jobs that this process enqueued, by the second at which they fire. */
  readonly #timers = new Map<number, NodeJS.Timeout>()

  constructor(parts: CancelParts) {
    this.#parts = parts
    this.#note = defineScript(parts.redis, 'isopodNoteDeadlines', 1, NOTE)
    this.#passed = defineScript(parts.redis, 'isopodPassedDeadlines', 1, PASSED)
  }

  /**
   * Notes the deadlines of jobs that are about to be enqueued, and expires these jobs in time while this process lives.
   */
  async note(entries: readonly { readonly id: string; readonly job: Job }[]): Promise<void> {
    const noted = entries.flatMap(({ id, job: { expiresInSeconds } }) =>
      expiresInSeconds === undefined ? [] : [{ id, seconds: expiresInSeconds }],
    )
    if (noted.length === 0) return
    for (const { seconds } of noted) this.#expireIn(seconds)
    const pairs = noted.flatMap(({ id, seconds }) => [id, seconds])
    await this.#note(this.#parts.keys.deadlines, ...pairs)
  }

  /** Cancels the jobs that no worker took in time. Concurrent calls do no harm. */
  async expire(): Promise<void> {
    const { redis, keys } = this.#parts
    for (;;) {
      const ids = await this.#passed(keys.deadlines, PAGE)
      if (!Array.isArray(ids) || ids.length === 0) return
      for (const id of ids.map(String)) await this.#expire(id)
      await redis.zrem(keys.deadlines, ...ids.map(String))
    }
  }

  /** Stops the timers. */
  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  /** Jobs whose deadlines are in the same second share a timer. */
  #expireIn(seconds: number): void {
    const now = performance.now()
    const second = Math.ceil(now / 1000) + seconds
    if (this.#timers.has(second)) return
    const expire = () => {
      this.#timers.delete(second)
      // If Redis does not answer, a worker or a caller that waits expires the jobs later.
      this.expire().catch(() => {})
    }
    this.#timers.set(second, setTimeout(expire, second * 1000 - now + GRACE_MS).unref())
  }

  async #expire(id: string): Promise<void> {
    const { redis, keys } = this.#parts
    const stored = isSafeId(id) ? await readStoredJob(redis, keys, id) : undefined
    const seconds = stored?.job?.expiresInSeconds
    if (stored === undefined || seconds === undefined || stored.attempt > 0) return
    await cancelWaiting(this.#parts, id, stored, expiryMessage(seconds))
  }
}
