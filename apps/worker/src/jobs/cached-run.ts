import { COMPARISON_EXCEEDED } from '@isopod/judging'
import { copiedFields, type Result, type Status, type Verdict, withoutCopiedFields } from '@isopod/protocol'
import { type CacheEntry, type Delivery, type Handle, JobDeferred, type ResultCache } from '@isopod/queue'
import type { Audit } from '../audit/audit-event.ts'
import { jobAudit } from '../audit/job-audit.ts'
import { type CacheKeyOptions, cacheKeyOf } from './cache-key.ts'

/** Dependencies of {@link cachedRun}. */
export interface CachedRunOptions extends CacheKeyOptions {
  readonly workerId: string
  readonly cache: Pick<ResultCache, 'enter'>
  readonly audit: Audit
  /** How long a result is kept, in seconds; 0: none is. */
  readonly ttlSeconds: number
  /** Called when the cache fails; the job then runs without it. */
  readonly onError: (error: unknown) => void
}

/** Bounds of the delay until a job that waits for an equal one is taken again, in milliseconds. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 2000

/** Statuses that depend on the program alone. Whether it hits a limit, or its judge fails, can depend on the load of the host. */
const CACHED_STATUSES: ReadonlySet<string> = new Set<Status>(['success', 'execution_error', 'compile_error'])
const UNCERTAIN: ReadonlySet<string> = new Set<Verdict>([
  'timeout',
  'memory_exceeded',
  'output_exceeded',
  'judge_error',
])

/**
 * Puts a cache in front of the function that runs jobs with `cache: true`. Of equal jobs of a tenant one runs; the others are
 * deferred meanwhile, and share its result.
 */
export function cachedRun(run: Handle, options: CachedRunOptions): Handle {
  const { workerId, cache, audit, ttlSeconds, onError } = options

  return async (delivery, signal) => {
    const key = ttlSeconds > 0 ? await cacheKeyOf(delivery, options).catch(onError) : undefined
    if (key === undefined) return run(delivery, signal)
    const entry = await enter(key.text)
    if (entry.type === 'pending') throw new JobDeferred(pauseOf(delivery), 'an equal job runs')
    if (entry.type === 'skip') return run(delivery, signal)
    if (entry.type === 'hit') {
      const result = resultOfHit(entry.result, delivery, workerId)
      const record = jobAudit(audit, delivery)
      record.requested()
      record.finished(result, { execution: undefined, container: undefined })
      return result
    }
    const { flight } = entry
    try {
      const result = await run(delivery, signal)
      // A pooled container can have an older image.
      const isKept = isCacheable(result) && result.imageDigest === key.imageDigest
      // A cancelled job, for example, says nothing about the program: the next equal job makes the result.
      const end = isKept
        ? flight.commit(result, ttlSeconds)
        : flight[result.attributable ? 'skip' : 'release']()
      await end.catch(onError)
      return result
    } catch (error) {
      await flight.release().catch(onError)
      throw error
    }
  }

  async function enter(key: string): Promise<CacheEntry> {
    try {
      return await cache.enter(key)
    } catch (error) {
      onError(error)
      return { type: 'skip' }
    }
  }
}

/** How long to defer a job that waits for an equal one: a quarter of its age, within bounds. */
function pauseOf({ enqueuedAt, takenAt }: Delivery): number {
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, (takenAt - enqueuedAt) / 4))
}

/**
 * Whether a result also holds for identical jobs. If init's reset missed something that an earlier job of a batch left in
 * the container, that must not reach jobs that never shared it.
 */
function isCacheable({ status, tests = [], attributable, flaky, containerOrigin }: Result): boolean {
  if (containerOrigin === 'batch') return false
  return (
    attributable &&
    !flaky &&
    CACHED_STATUSES.has(status) &&
    !tests.some(({ verdict, diff }) => UNCERTAIN.has(verdict) || diff?.startsWith(COMPARISON_EXCEEDED))
  )
}

/** The result of a job that did not run: the outcome of the equal job, under its own id. */
function resultOfHit(
  found: Result,
  { id, job, attempt, enqueuedAt, takenAt }: Delivery,
  workerId: string,
): Result {
  return {
    ...withoutCopiedFields(found),
    ...copiedFields(job),
    ...{ id, attempt, workerId, cached: true, cachedFrom: found.id },
    timings: {
      ...{ policy: 0, acquire: 0, run: 0, collect: 0, publish: 0 },
      queued: Math.max(0, takenAt - enqueuedAt),
    },
  }
}
