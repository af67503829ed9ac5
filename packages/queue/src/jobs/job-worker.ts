import type { Redis } from 'ioredis'
import type { Observe } from '../consumer-events.ts'
import type { Keys } from '../redis/keys.ts'
import { JOBS_QUEUE } from '../redis/queue-options.ts'
import { QueueWorker } from '../redis/queue-worker.ts'
import type { RedisClock } from '../redis/redis-clock.ts'
import type { Processor } from './processor.ts'
import type { RunningJobs } from './running-jobs.ts'
import { repairJob } from './stored-job.ts'
import type { JobWorkerOptions } from './worker-options.ts'

const LOCK_DURATION_MS = 15_000
const STALLED_INTERVAL_MS = 5000

/** The parts of a worker that takes jobs. */
export interface JobWorkerParts extends Omit<JobWorkerOptions, 'handle' | 'giveUp'> {
  readonly redis: Redis
  readonly clock: RedisClock
  readonly keys: Keys
  readonly workerId: string
  readonly processor: Processor
  readonly running: RunningJobs
  readonly observe: Observe
}

/** Makes the worker that takes jobs; it starts with `run()`. */
export function createJobWorker(parts: JobWorkerParts): QueueWorker {
  const { redis, keys, processor, running, observe } = parts
  const report = (error: Error) => observe({ type: 'error', error })
  const jobs = new QueueWorker(JOBS_QUEUE, (job, token) => processor.process(job, token), {
    connection: redis,
    clock: parts.clock,
    prefix: keys.tag,
    name: parts.workerId,
    concurrency: parts.concurrency,
    wanted: parts.wanted,
    lockDuration: parts.lockDurationMs ?? LOCK_DURATION_MS,
    stalledInterval: parts.stalledIntervalMs ?? STALLED_INTERVAL_MS,
    onError: report,
  })
  jobs.worker.on('stalled', (id) => {
    observe({ type: 'stalled', id })
    // BullMQ cannot parse a job that is not JSON; such a job stalls again and again.
    repairJob(redis, keys, id).catch(report)
  })
  jobs.worker.on('lockRenewalFailed', (ids) => {
    observe({ type: 'lockRenewalFailed', ids })
    running.interrupt(ids, 'lease-lost')
  })
  return jobs
}
