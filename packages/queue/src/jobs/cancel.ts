import { ErrorCode, type Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Publication } from '../consumer-events.ts'
import type { Keys } from '../redis/keys.ts'
import type { Publisher } from './publisher.ts'
import { PROGRESS, readStoredJob, type StoredJob } from './stored-job.ts'
import { unexecutedJobResult } from './unexecuted-result.ts'

/**
 * Outcome of a request to cancel: `cancelled`, the job was waiting and now has a cancelled result; `requested`, a worker runs the
 * job and was asked to stop it; `finished`, the job already has a result; `unknown`, there is no such job.
 */
export type CancelOutcome = 'cancelled' | 'requested' | 'finished' | 'unknown'

/** Maximum number of attempts to cancel a waiting job, each of which can lose a race against a worker. */
const MAX_ATTEMPTS = 20

/** What cancels jobs. */
export interface CancelParts {
  readonly redis: Redis
  readonly keys: Keys
  readonly jobs: Queue
  readonly publisher: Publisher
}

/**
 * Cancels a job that waits or runs.
 *
 * A waiting job gets its cancelled result here, unless a worker starts it first: the fence then refuses the result. For a running
 * job the request is stored in the job and published as a message, which acts at once but can be lost; the worker stops the job.
 */
export async function cancelJob(parts: CancelParts, id: string): Promise<CancelOutcome> {
  const { redis, keys, jobs } = parts
  for (let tries = 1; ; tries++) {
    const stored = await readStoredJob(redis, keys, id)
    // Check the result after the job: a job is removed only after its result was stored.
    if ((await redis.exists(keys.result(id))) === 1) return 'finished'
    if (stored === undefined) return 'unknown'
    if (tries >= MAX_ATTEMPTS || (await jobs.getJobState(id)) === 'active') {
      if (!(await noteRequest(jobs, id))) continue
      await redis.publish(keys.cancelChannel, id)
      return 'requested'
    }
    const publication = await cancelWaiting(parts, id, stored, 'The job was cancelled before it ran')
    if (publication === 'ok') return 'cancelled'
    if (publication === 'duplicate') return 'finished'
    // Fenced: a worker has started it meanwhile.
  }
}

/** Publishes the cancelled result of a waiting job and removes the job, unless a worker starts it first. */
export async function cancelWaiting(
  { redis, keys, jobs, publisher }: CancelParts,
  id: string,
  { attempt, job, replyTo }: StoredJob,
  errorMessage: string,
): Promise<Publication> {
  const result = unexecutedJobResult({ id, job, status: 'cancelled', errorMessage, attempt, workerId: '' })
  const publication = await publisher.publish({ result, attempt, replyTo, callbackUrl: job?.callbackUrl })
  // A worker that has taken it meanwhile finds the result and completes the job.
  if (publication !== 'ok') return publication
  await jobs.remove(id).catch(() => {})
  if (job !== undefined) await leaveTenant({ redis, keys }, id, job.tenant).catch(() => {})
  return publication
}

/** Removes a job from those that its tenant would still bring back or order; a script skips only some cancelled ones at a time. */
async function leaveTenant(
  { redis, keys }: Pick<CancelParts, 'redis' | 'keys'>,
  id: string,
  tenant: string,
): Promise<void> {
  await redis.pipeline().zrem(keys.tenant('parked', tenant), id).zrem(keys.tenant('order', tenant), id).exec()
}

/** Notes in a job that it is to be cancelled; false if it has ended meanwhile. */
async function noteRequest(jobs: Queue, id: string): Promise<boolean> {
  try {
    await jobs.updateJobProgress(id, PROGRESS.cancelled)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === ErrorCode.JobNotExist) return false
    throw error
  }
}
