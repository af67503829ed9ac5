import { type Job, utf8Bytes } from '@isopod/protocol'
import type { JobsOptions, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { IdempotencyConflictError } from '../errors.ts'
import type { Keys } from '../redis/keys.ts'
import { PLATFORM_TRIES } from '../redis/queue-options.ts'

/** Maximum number of jobs, and approximately of bytes, in one round trip. */
const BATCH_JOBS = 500
const BATCH_BYTES = 16 * 1024 * 1024

/** One job to enqueue. */
export interface Entry {
  readonly id: string
  readonly job: Job
  /** Fingerprint of the job, if the id derives from an idempotency key; another job under the same key is refused. */
  readonly fingerprint?: string
}

/** `existing`: there is already a job with this id, or its result; nothing was added. */
export type Enqueued = 'enqueued' | 'existing'

/**
 * Enqueues jobs in order, 500 per round trip.
 *
 * @returns the outcome of each entry
 * @throws {IdempotencyConflictError} naming the index in the list; nothing was enqueued
 */
export async function enqueueJobs(
  redis: Redis,
  keys: Keys,
  jobs: Queue,
  ttlSeconds: number,
  entries: readonly Entry[],
): Promise<Enqueued[]> {
  const existing = await rememberKeys(redis, keys, ttlSeconds, entries)
  const added = entries.filter((_, index) => !existing.has(index))
  for (const batch of batches(added)) {
    const [first, ...others] = batch.map(({ id, job }) => ({
      name: 'execute',
      data: job,
      opts: jobOptions(id, job),
    }))
    // A pipeline would cost more than the command for a single job.
    if (first !== undefined && others.length === 0) await jobs.add(first.name, first.data, first.opts)
    else if (first !== undefined) await jobs.addBulk([first, ...others])
  }
  return entries.map((_, index) => (existing.has(index) ? 'existing' : 'enqueued'))
}

/** Stores the fingerprint of each idempotency key. Returns the indexes of entries that already have a job or a result. */
async function rememberKeys(
  redis: Redis,
  keys: Keys,
  ttlSeconds: number,
  entries: readonly Entry[],
): Promise<Set<number>> {
  const existing = new Set<number>()
  const keyed = entries.flatMap(({ id, fingerprint }, index) =>
    fingerprint === undefined ? [] : [{ id, fingerprint, index }],
  )
  if (keyed.length === 0) return existing
  const pipeline = redis.pipeline()
  for (const { id, fingerprint } of keyed) {
    // Two commands, because Redis 6.2 does not allow SET with both NX and GET.
    pipeline.set(keys.fingerprint(id), fingerprint, 'EX', ttlSeconds, 'NX')
    pipeline.get(keys.fingerprint(id))
    pipeline.exists(keys.result(id), keys.job(id))
  }
  const replies = (await pipeline.exec()) ?? []
  const taken: string[] = []
  let conflict: number | undefined
  for (const [place, { id, fingerprint, index }] of keyed.entries()) {
    const [set, first, present] = replies.slice(3 * place, 3 * place + 3)
    const error = set?.[0] ?? first?.[0] ?? present?.[0]
    if (error) throw error
    if (set?.[1] === 'OK') taken.push(keys.fingerprint(id))
    if (first?.[1] !== fingerprint) conflict ??= index
    if (Number(present?.[1]) > 0) existing.add(index)
  }
  if (conflict === undefined) return existing
  // Nothing is enqueued, so the fingerprints of this list must not stay.
  if (taken.length > 0) await redis.del(taken)
  const where = entries.length === 1 ? '' : `jobs[${conflict}].`
  throw new IdempotencyConflictError(
    `${where}idempotencyKey: was used before for a job that differs from this one; use another key, or send the same job`,
  )
}

function jobOptions(jobId: string, job: Job): JobsOptions {
  return {
    jobId,
    attempts: PLATFORM_TRIES,
    backoff: { type: 'exponential', delay: 500 },
    // The stored result is the record; a finished job need not stay.
    removeOnComplete: true,
    stackTraceLimit: 1,
    ...(job.priority === 0 ? {} : { priority: job.priority }),
  }
}

/** Cuts a list so that no round trip has more than 500 jobs, or much more than 16 MiB. */
function* batches(entries: readonly Entry[]): Generator<Entry[]> {
  let batch: Entry[] = []
  let bytes = 0
  for (const entry of entries) {
    const size = roughBytes(entry.job)
    if (batch.length === BATCH_JOBS || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(entry)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

function roughBytes(job: Job): number {
  const files = Object.values(job.files ?? {}).reduce((sum, file) => sum + file.content.length, 0)
  const tests = job.tests === undefined ? 0 : utf8Bytes(JSON.stringify(job.tests))
  const input = job.inputData === undefined ? 0 : JSON.stringify(job.inputData).length
  const { args, env, compileArgs } = job
  const invocation = JSON.stringify([args, env, compileArgs]).length
  return job.code.length + (job.stdin?.length ?? 0) + input + files + tests + invocation
}
