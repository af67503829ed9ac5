import type { Redis } from 'ioredis'
import type { Observe } from './consumer-events.ts'
import { CompletingWorker, type EndableWorker } from './end-worker.ts'
import { isExtra } from './extra-jobs.ts'
import type { Keys } from './keys.ts'
import { JOBS_QUEUE } from './options.ts'
import type { Processor } from './processor.ts'
import { guardScripts, healing } from './quarantine.ts'
import type { RunningJobs } from './running-jobs.ts'
import { repairJob } from './sweep.ts'
import { takeWithLook } from './take-lua.ts'

/** How long a job belongs to a worker that does not say that it still has it, in milliseconds. */
const LOCK_DURATION_MS = 15_000
const STALLED_INTERVAL_MS = 5000

/** What the taker of jobs works with. */
export interface JobWorkerParts {
  readonly redis: Redis
  readonly keys: Keys
  readonly workerId: string
  readonly concurrency: number
  readonly processor: Processor
  readonly running: RunningJobs
  readonly observe: Observe
  /** Shorter locks, for tests of what happens when they run out. */
  readonly lockDurationMs?: number
  readonly stalledIntervalMs?: number
}

/** Makes the BullMQ worker that takes jobs; it starts with `run()`. */
export function createJobWorker(parts: JobWorkerParts): EndableWorker {
  const { redis, keys, processor, running, observe, lockDurationMs: lockMs = LOCK_DURATION_MS } = parts
  const worker: CompletingWorker = new CompletingWorker(
    JOBS_QUEUE,
    // Two parameters on purpose: BullMQ makes a signal for a function that has a third, and nobody would ever abort it.
    (job, token = '') => {
      const complete = () => {
        const goesOn = !isExtra(token) && worker.goesOn(running.size)
        return { token, lockMs, worker: parts.workerId, goesOn }
      }
      return processor.process(job, token, complete)
    },
    {
      connection: redis,
      prefix: keys.tag,
      name: parts.workerId,
      autorun: false,
      concurrency: parts.concurrency,
      lockDuration: lockMs,
      stalledInterval: parts.stalledIntervalMs ?? STALLED_INTERVAL_MS,
      // BullMQ would fail a job that stalls too often without a result. The processor counts instead, and publishes one.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: 1000,
      drainDelay: 5,
    },
  )
  guardScripts(redis)
  worker.fresh = takeWithLook(redis, keys)
  const heal = healing(redis, keys.job(''))
  worker.on('error', (error) => {
    observe({ type: 'error', error })
    heal(error)
  })
  worker.on('stalled', (id) => {
    observe({ type: 'stalled', id })
    // What cannot be parsed is never handed to the processor; it shows only by stalling again and again.
    repairJob(redis, keys, id).catch((error: Error) => observe({ type: 'error', error }))
  })
  worker.on('lockRenewalFailed', (ids) => {
    observe({ type: 'lockRenewalFailed', ids })
    running.interrupt(ids, 'lease-lost')
  })
  return worker
}
