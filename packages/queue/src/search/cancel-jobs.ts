import { type CancelParts, cancelJob } from '../jobs/cancel.ts'
import type { JobSearch, JobSearchParts } from './find-jobs.ts'
import type { JobFilter } from './job-filter.ts'
import { QUEUE_START } from './queue-places.ts'

/** Concurrent cancellations. */
const CANCELS_AT_ONCE = 16
/** Number of searches: at least two, because a job can move past one; at most ten, because producers may submit matching jobs. */
const MIN_SEARCHES = 2
const MAX_SEARCHES = 10

/** How many jobs were cancelled. */
export interface CancelCounts {
  /** They were waiting, and now have a cancelled result. */
  readonly cancelled: number
  /** They were running; their workers were asked to stop them. */
  readonly requested: number
}

/** Cancels all matching jobs: searches and cancels until a search finds no other job. */
export async function cancelJobs(
  parts: CancelParts & Pick<JobSearchParts, 'ask'>,
  search: JobSearch,
  filter: JobFilter,
): Promise<CancelCounts> {
  const counts = { cancelled: 0, requested: 0, finished: 0, unknown: 0 }
  const seen = new Set<string>()
  for (let searches = 1; searches <= MAX_SEARCHES; searches += 1) {
    const found: string[] = []
    for await (const { id } of search.find(filter, QUEUE_START)) {
      if (!seen.has(id)) found.push(id)
      seen.add(id)
    }
    if (found.length === 0 && searches >= MIN_SEARCHES) break
    // From the end, so that no later job starts in the place of a cancelled one.
    found.reverse()
    for (let first = 0; first < found.length; first += CANCELS_AT_ONCE) {
      const some = found.slice(first, first + CANCELS_AT_ONCE)
      const outcomes = await Promise.all(some.map((id) => parts.ask(() => cancelJob(parts, id))))
      for (const outcome of outcomes) counts[outcome] += 1
    }
  }
  const { cancelled, requested } = counts
  return { cancelled, requested }
}
