import { type Job, parseJob } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'

/**
 * BullMQ's progress of a job whose result is published, or that somebody asked to cancel. It comes with the job, so a worker that
 * takes the job needs no further command to know.
 */
export const PROGRESS = { published: 'published', cancelled: 'cancelled' } as const

/** A job in Redis; nothing in it is trusted. */
export interface StoredJob {
  /** Number of starts. */
  readonly attempt: number
  readonly enqueuedAt: number
  /** Missing if the data is not a valid job. */
  readonly job?: Job
  readonly replyTo: string
  /** BullMQ's reason for failing the job. */
  readonly failedReason: string
}

/** Reads a job; undefined if there is none. */
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

/** Parses the data of a queued job: the job if it is valid, and where its result goes in any case. */
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

/**
 * Makes a job readable that is not valid JSON and would stall forever in BullMQ. The processor then refuses it as an invalid job.
 */
export async function repairJob(redis: Redis, keys: Keys, id: string): Promise<void> {
  const key = keys.job(id)
  const [data, opts, progress, parent] = await redis.hmget(key, 'data', 'opts', 'progress', 'parent')
  if (data != null && !isJson(data)) await redis.hset(key, 'data', 'null')
  if (opts != null && !isJsonObject(opts)) await redis.hset(key, 'opts', '{}')
  if (progress != null && !isJson(progress)) await redis.hdel(key, 'progress')
  if (parent != null && !isJson(parent)) await redis.hdel(key, 'parent', 'parentKey')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isJsonObject(text: string): boolean {
  return isJson(text) && text.trimStart().startsWith('{')
}
