import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'
import type { Publisher } from './publisher.ts'
import { readStoredJob } from './stored-job.ts'
import { unexecutedJobResult } from './unexecuted-result.ts'

/**
 * What a request to cancel came to: `cancelled`, the job was waiting and has a cancelled result now; `requested`, a worker
 * runs it and was told to stop; `finished`, it has a result already; `unknown`, there is no such job.
 */
export type CancelOutcome = 'cancelled' | 'requested' | 'finished' | 'unknown'

/** Longest time that a request to cancel is remembered, in seconds: longer than any job waits and runs. */
const FLAG_TTL_SECONDS = 604_800

/** Looks at a job that changes hands all the time; each further one means that a worker was quicker again. */
const MAX_LOOKS = 20

/**
 * Cancels a job, whichever process has it.
 *
 * A job that waits gets its cancelled result from here; the fence refuses that if a worker has started the job since it was
 * looked at. A job that runs gets a flag, which lasts, and a message, which is quick: its worker does the rest.
 */
export async function cancelJob(
  redis: Redis,
  keys: Keys,
  jobs: Queue,
  publisher: Publisher,
  id: string,
): Promise<CancelOutcome> {
  for (let look = 1; ; look++) {
    const stored = await readStoredJob(redis, keys, id)
    // In this order: a job goes only after its result has come.
    if ((await redis.exists(keys.result(id))) === 1) return 'finished'
    if (stored === undefined) return 'unknown'
    if (look === MAX_LOOKS || (await jobs.getJobState(id)) === 'active') {
      await redis.set(keys.cancelFlag(id), '1', 'EX', FLAG_TTL_SECONDS)
      await redis.publish(keys.cancelChannel, id)
      // A job that has ended in between clears no flag any more.
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
        // If a worker has taken it meanwhile, it sees the result and ends the job itself.
        await jobs.remove(id).catch(() => {})
        return 'cancelled'
      case 'duplicate':
        return 'finished'
      case 'fenced':
        // A worker has started it since: look again.
        break
    }
  }
}
