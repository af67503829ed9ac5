import { type Job, parseJob } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import type { Keys } from './keys.ts'

/** A job as it lies in Redis, read without trusting a byte of it. */
export interface StoredJob {
  /** How often it was started. */
  readonly attempt: number
  readonly enqueuedAt: number
  /** Missing if the data is not a valid job. */
  readonly job?: Job
  readonly replyTo: string
  /** What BullMQ noted when it failed the job. */
  readonly failedReason: string
}

/** Reads one job; undefined if there is none of this id. */
export async function readStoredJob(redis: Redis, keys: Keys, id: string): Promise<StoredJob | undefined> {
  const [data, ats, timestamp, failedReason] = await redis.hmget(
    keys.job(id),
    'data',
    'ats',
    'timestamp',
    'failedReason',
  )
  if (data == null && ats == null && timestamp == null) return undefined
  const parsed = parseData(parseJson(data ?? ''))
  return {
    attempt: Number(ats ?? 0) || 0,
    enqueuedAt: Number(timestamp ?? 0) || Date.now(),
    ...parsed,
    failedReason: failedReason ?? '',
  }
}

/** What the data of a queued job says: the job if it is valid, and in any case where its result goes. */
export function parseData(data: unknown): { job?: Job; replyTo: string; refusal?: Error } {
  try {
    const job = parseJob(data)
    return { job, replyTo: job.replyTo }
  } catch (error) {
    return { replyTo: replyToOf(data), refusal: error instanceof Error ? error : new Error(String(error)) }
  }
}

function replyToOf(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('replyTo' in data)) return 'default'
  const { replyTo } = data
  return typeof replyTo === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(replyTo)
    ? replyTo
    : 'default'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
