import { copiedFields, type Job } from '@isopod/protocol'
import { parseData } from '../jobs/stored-job.ts'
import type { FoundJob, JobSearch } from './find-jobs.ts'
import type { JobFilter } from './job-filter.ts'
import { cursorOf, QUEUE_START, readCursor } from './queue-places.ts'

/** BullMQ's weights in the scores of its sorted sets. */
const PRIORITY_UNIT = 2 ** 32
const DELAY_UNIT = 0x1000

/** An unfinished job. */
export interface QueuedJob extends Pick<Job, 'language' | 'tenant' | 'batchId' | 'labels' | 'replyTo'> {
  readonly id: string
  /**
   * `running` on a worker; `next`, before all turns: it was requeued, or its producer takes no turns; `waiting` for its turn; `delayed`
   * until the time `delayedUntil`, or until a running job ends: an equal one, or one of a tenant at its maximum.
   */
  readonly state: 'running' | 'next' | 'waiting' | 'delayed'
  /** When it was submitted, in epoch milliseconds. */
  readonly submittedAt: number
  /** Of a waiting job: the number of its turn. Smaller ones come first, over all tenants. */
  readonly turn?: number
  /** Of a delayed job: when it waits again at the latest, in epoch milliseconds. */
  readonly delayedUntil?: number
}

/** A page of {@link QueuedJob}; with a cursor unless it is the last. */
export interface QueuedJobs {
  readonly jobs: readonly QueuedJob[]
  readonly cursor?: string
}

/** Which page of the jobs. */
export interface PageOptions {
  /** Maximum number of jobs. */
  readonly limit: number
  /** Cursor of the page before. @default the first page */
  readonly cursor?: string | undefined
}

/**
 * A page of the matching jobs: those that wait in the order in which they will run, then delayed and running ones.
 *
 * @throws {ConfigError} if the cursor is not one
 */
export async function listJobs(
  search: JobSearch,
  filter: JobFilter,
  { limit, cursor }: PageOptions,
): Promise<QueuedJobs> {
  const start = cursor === undefined ? QUEUE_START : readCursor(cursor)
  const found = new Map<string, FoundJob>()
  let last = start
  for await (const job of search.find(filter, start)) {
    if (found.size === limit && !found.has(job.id)) {
      return { jobs: [...found.values()].map(describe), cursor: cursorOf(last) }
    }
    // A job that has moved is found again, where it is now.
    found.delete(job.id)
    found.set(job.id, job)
    last = job.place
  }
  return { jobs: [...found.values()].map(describe) }
}

function describe({ id, place, data, submittedAt }: FoundJob): QueuedJob {
  const { job, replyTo } = parseData(data)
  return {
    id,
    ...stateOf(place),
    language: job?.language ?? 'unknown',
    replyTo,
    submittedAt,
    ...(job === undefined ? { tenant: 'default' } : { ...copiedFields(job) }),
  }
}

function stateOf({ list, after }: FoundJob['place']): Pick<QueuedJob, 'state' | 'turn' | 'delayedUntil'> {
  switch (list) {
    case 'active':
      return { state: 'running' }
    case 'wait':
      return { state: 'next' }
    case 'prioritized':
      return { state: 'waiting', turn: Math.floor(Number(after) / PRIORITY_UNIT) }
    case 'delayed':
      return { state: 'delayed', delayedUntil: Math.floor(Number(after) / DELAY_UNIT) }
    default:
      return list satisfies never
  }
}
