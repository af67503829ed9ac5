import { COMPARISON_EXCEEDED } from '@isopod/judging'
import type { Result, Status, Verdict } from '@isopod/protocol'
import { type CacheEntry, type Delivery, type Handle, JobInterrupted, type ResultCache } from '@isopod/queue'
import type { Audit } from '../audit/audit-event.ts'
import { jobAudit } from '../audit/job-audit.ts'
import { type CacheKeyOptions, cacheKeyOf } from './cache-key.ts'

/** Dependencies of {@link cachedRun}. */
export interface CachedRunOptions extends CacheKeyOptions {
  readonly workerId: string
  readonly cache: Pick<ResultCache, 'enter'>
  /** Lets a job wait without a slot; aborts the wait when the worker stops. */
  readonly withoutSlot: <T>(wait: (closing: AbortSignal) => Promise<T>) => Promise<T>
  /** Whether this worker holds more jobs than it should. */
  readonly overcommitted: () => boolean
  readonly audit: Audit
  /** How long a result is kept, in seconds; 0: none is. */
  readonly ttlSeconds: number
  /** Called when the cache fails; the job then runs without it. */
  readonly onError: (error: unknown) => void
}

/** Runs a job. @param waitedMs how long its worker has held it */
type RunAfter = (delivery: Delivery, signal: AbortSignal, waitedMs?: number) => Promise<Result>

/** Statuses that depend on the program alone. Whether it hits a limit also depends on the load of the host. */
const FACTS: ReadonlySet<Status> = new Set<Status>(['success', 'execution_error', 'compile_error'])
const LIMITS: ReadonlySet<Verdict> = new Set<Verdict>(['timeout', 'memory_exceeded', 'output_exceeded'])

/**
 * Puts a cache in front of `run` for jobs with `cache: true`: of identical jobs of one tenant, one runs, and those that wait
 * meanwhile share its result.
 */
export function cachedRun(run: RunAfter, options: CachedRunOptions): Handle {
  const { workerId, cache, withoutSlot, overcommitted, audit, ttlSeconds, onError } = options

  return async (delivery, signal) => {
    const { job } = delivery
    const key = job.cache && ttlSeconds > 0 ? await cacheKeyOf(delivery, options).catch(onError) : undefined
    if (key === undefined) return run(delivery, signal)
    const asked = performance.now()
    const record = jobAudit(audit, delivery)
    const { result: found, flight } = await enter(key.text, signal).catch((error: unknown) => {
      record.requested()
      record.ended(error)
      throw error
    })
    const waitedMs = performance.now() - asked
    if (found !== undefined) {
      const result = hit(found, delivery, { workerId, waitedMs })
      record.requested()
      record.finished(result, { execution: undefined, container: undefined })
      return result
    }
    if (flight === undefined) return run(delivery, signal, waitedMs)
    try {
      const result = await run(delivery, signal, waitedMs)
      // A container of the pool can be of an older image.
      const isKept = isFact(result) && result.imageDigest === key.imageDigest
      await (isKept ? flight.land(result, ttlSeconds) : endWith(result)).catch(onError)
      return result
    } catch (error) {
      await flight.fail().catch(onError)
      throw error
    }

    /** A cancelled job says nothing about the program, so another job has to run. */
    function endWith(result: Result): Promise<void> {
      return flight?.[result.attributable ? 'leave' : 'fail']() ?? Promise.resolve()
    }
  }

  async function enter(key: string, signal: AbortSignal): Promise<CacheEntry> {
    let entry: CacheEntry
    try {
      entry = await withoutSlot((closing) => cache.enter(key, AbortSignal.any([signal, closing])))
    } catch (error) {
      if (error instanceof JobInterrupted) throw error
      onError(error)
      return { waited: false }
    }
    // The worker took it beyond its slots, for as long as it waits. Now that it must run, requeue it for a worker with room.
    if (entry.result === undefined && entry.flight === undefined && entry.waited && overcommitted()) {
      throw new JobInterrupted('crowded')
    }
    return entry
  }
}

/**
 * Whether a result also holds for identical jobs. If init's reset missed something that an earlier job of a batch left in
 * the container, that must not reach jobs that never shared it.
 */
function isFact({ status, tests = [], attributable, flaky, containerOrigin }: Result): boolean {
  if (containerOrigin === 'batch') return false
  return (
    attributable &&
    !flaky &&
    FACTS.has(status) &&
    !tests.some(({ verdict, diff }) => LIMITS.has(verdict) || diff?.startsWith(COMPARISON_EXCEEDED))
  )
}

/** The result of a job that did not run: the other job's result with this job's ids. */
function hit(
  found: Result,
  { id, job, attempt, enqueuedAt, takenAt }: Delivery,
  { workerId, waitedMs }: { readonly workerId: string; readonly waitedMs: number },
): Result {
  const { labels: _, batchId: __, ...shared } = found
  return {
    ...shared,
    ...{ id, attempt, workerId, cached: true, cachedFrom: found.id },
    timings: {
      ...{ policy: 0, run: 0, collect: 0, publish: 0 },
      queued: Math.max(0, takenAt - enqueuedAt),
      // The wait for the other job's result.
      acquire: Math.round(waitedMs),
    },
    ...(job.batchId !== undefined && { batchId: job.batchId }),
    ...(job.labels !== undefined && { labels: job.labels }),
  }
}
