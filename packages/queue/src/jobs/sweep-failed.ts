import { TerminalError } from '@isopod/protocol'
import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import { healQueue } from '../redis/quarantine.ts'
import { isSafeId } from '../redis/safe-id.ts'
import type { GiveUp } from './delivery.ts'
import type { Publisher } from './publisher.ts'
import { readStoredJob } from './stored-job.ts'

const PAGE = 100
/** Maximum number of failed jobs that a sweep skips because it cannot remove them. */
const MAX_SKIPPED = 10_000
/** The public reason of a job that BullMQ failed; BullMQ's own reason can quote the job. */
const FAILED = 'the queue failed the job'

/** The parts of a sweep. */
export interface SweepParts {
  readonly redis: Redis
  readonly keys: Keys
  readonly jobs: Queue
  readonly publisher: Publisher
  readonly giveUp: GiveUp
}

/**
 * Publishes a result for each job that BullMQ failed by itself, which an outage can cause, and removes the job. Concurrent sweeps
 * do no harm.
 *
 * @returns number of removed jobs
 */
export async function sweepFailedJobs(parts: SweepParts): Promise<number> {
  const { redis, keys } = parts
  // First remove ids that equal the name of a BullMQ key: to remove such a job would delete that key, for example all waiting jobs.
  await healQueue(redis, keys.job(''))
  const errors: unknown[] = []
  let removed = 0
  /** Number of jobs that could not be removed; the next page starts after them. */
  let skipped = 0
  while (skipped < MAX_SKIPPED) {
    const ids = await redis.zrange(keys.jobs('failed'), String(skipped), String(skipped + PAGE - 1))
    if (ids.length === 0) break
    for (const id of ids) {
      const isRemoved = await sweepFailedJob(parts, id).catch((error: unknown) => {
        errors.push(error)
        return false
      })
      if (isRemoved) removed += 1
      else skipped += 1
    }
  }
  if (errors.length > 0) throw errors[0]
  return removed
}

async function sweepFailedJob({ redis, keys, jobs, publisher, giveUp }: SweepParts, id: string) {
  const stored = isSafeId(id) ? await readOrStub(redis, keys, id) : undefined
  if (stored !== undefined) {
    const { attempt, enqueuedAt, job, replyTo, failedReason } = stored
    const start = { id, attempt, enqueuedAt }
    const cause = new TerminalError(failedReason || FAILED, { publicMessage: FAILED })
    const result = giveUp(job === undefined ? start : { ...start, job }, cause)
    const outgoing = { result, attempt, replyTo, callbackUrl: job?.callbackUrl }
    // Fenced: the job was started again meanwhile, and is no longer in the failed set.
    if ((await publisher.publish(outgoing)) === 'fenced') return false
  }
  // BullMQ refuses to remove a job with a lock or with children. A failed job does not run, and no job of ours has children.
  if (isSafeId(id)) await jobs.remove(id).catch(() => redis.unlink(keys.job(id)))
  await redis.zrem(keys.jobs('failed'), id)
  return true
}

/** Reads a job. If another program removed it, it makes an empty one, because only a job can get a result. */
async function readOrStub(redis: Redis, keys: Keys, id: string) {
  const stored = await readStoredJob(redis, keys, id)
  if (stored !== undefined) return stored
  await redis.hset(keys.job(id), 'data', 'null')
  return await readStoredJob(redis, keys, id)
}
