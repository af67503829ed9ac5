import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import type { Publisher } from './publisher.ts'
import { readStoredJob } from './stored-job.ts'
import { unexecutedJobResult } from './unexecuted-result.ts'

/**
 * Outcome of a request to cancel: `cancelled`, the job was waiting and now has a cancelled result; `requested`, a worker runs the
 * job and was asked to stop it; `finished`, the job already has a result; `unknown`, there is no such job.
 */
export type CancelOutcome = 'cancelled' | 'requested' | 'finished' | 'unknown'

/** Time to live of a request to cancel, in seconds: longer than any job waits and runs. */
const FLAG_TTL_SECONDS = 604_800

/** Maximum number of attempts to cancel a waiting job, each of which can lose a race against a worker. */
const MAX_ATTEMPTS = 20

/**
 * Cancels a job that waits or runs.
 *
 * A waiting job gets its cancelled result here, unless a worker starts it first: the fence then refuses the result. For a running
 * job it sets a flag, which lasts, and sends a message, which is quick; the worker stops the job.
 */
export async function cancelJob(
  redis: Redis,
  keys: Keys,
  jobs: Queue,
  publisher: Publisher,
  id: string,
): Promise<CancelOutcome> {
  for (let tries = 1; ; tries++) {
    const stored = await readStoredJob(redis, keys, id)
    // Check the result after the job: a job is removed only after its result was stored.
    if ((await redis.exists(keys.result(id))) === 1) return 'finished'
    if (stored === undefined) return 'unknown'
    if (tries === MAX_ATTEMPTS || (await jobs.getJobState(id)) === 'active') {
      await redis.set(keys.cancelFlag(id), '1', 'EX', FLAG_TTL_SECONDS)
      await redis.publish(keys.cancelChannel, id)
      // A job that has ended meanwhile does not clear the flag.
      if ((await redis.exists(keys.result(id))) === 1) await redis.del(keys.cancelFlag(id))
      return 'requested'
    }
    const { attempt, job, replyTo } = stored
    const result = unexecutedJobResult({
      id,
      job,
      status: 'cancelled',
      errorMessage: 'The job was cancelled before it ran',
      attempt,
      workerId: '',
    })
    switch (await publisher.publish({ result, attempt, replyTo, callbackUrl: job?.callbackUrl })) {
      case 'ok':
        // A worker that has taken it meanwhile finds the result and completes the job.
        await jobs.remove(id).catch(() => {})
        return 'cancelled'
      case 'duplicate':
        return 'finished'
      case 'fenced':
        // A worker has started it meanwhile.
        break
    }
  }
}
