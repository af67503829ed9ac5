import { COMPARISON_EXCEEDED } from '@isopod/judging'
import type { Result, Status, Verdict } from '@isopod/protocol'
import { type CacheEntry, type Delivery, type Handle, JobInterrupted, type ResultCache } from '@isopod/queue'
import type { Audit } from '../audit/audit-event.ts'
import { jobAudit } from '../audit/job-audit.ts'
import { type CacheKeyOptions, cacheKeyOf } from './cache-key.ts'

/** What a cache in front of the sandbox works with. */
export interface CachedRunOptions extends CacheKeyOptions {
  readonly workerId: string
  readonly cache: Pick<ResultCache, 'enter'>
  /** Lets a job wait without its slot; aborts the wait when the worker stops. */
  readonly withoutSlot: <T>(wait: (closing: AbortSignal) => Promise<T>) => Promise<T>
  /** Whether this worker holds more jobs than it should. */
  readonly overcommitted: () => boolean
  readonly audit: Audit
  /** How long a result is kept, in seconds; 0: none is. */
  readonly ttlSeconds: number
  /** Told of trouble with the cache, which costs no more than its use. */
  readonly onError: (error: unknown) => void
}

/** Runs a job that its worker has held for so many milliseconds already. */
type RunAfter = (delivery: Delivery, signal: AbortSignal, waitedMs?: number) => Promise<Result>

/** Ends that are facts about the program. A limit that was hit is one about the host, too: how busy it was, what it had left. */
const FACTS: ReadonlySet<Status> = new Set<Status>(['success', 'execution_error', 'compile_error'])
const LIMITS: ReadonlySet<Verdict> = new Set<Verdict>(['timeout', 'memory_exceeded', 'output_exceeded'])

/**
 * Puts a cache in front of what runs jobs, for those that ask for it: the same program with all that it can see or meet, of the
 * same tenant, is run once, and what waits meanwhile shares its result.
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
      // A container that waited can be of an image that was there before.
      const isKept = isFact(result) && result.imageDigest === key.imageDigest
      await (isKept ? flight.land(result, ttlSeconds) : endWith(result)).catch(onError)
      return result
    } catch (error) {
      await flight.fail().catch(onError)
      throw error
    }

    /** Whoever was cancelled says nothing about the program: somebody else makes the result. */
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
    // It was taken to wait beside others. Now that it has to run, a worker that has room is to have it.
    if (entry.result === undefined && entry.flight === undefined && entry.waited && overcommitted()) {
      throw new JobInterrupted('crowded')
    }
    return entry
  }
}

/**
 * Whether a result holds for the next run of its job, too. What an earlier job of a batch left in their container, if init's
 * reset missed it, must not reach jobs that never shared one.
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

/** The result of a job that did not have to run: what the other one did, under its own name. */
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
      // For the other one's result.
      acquire: Math.round(waitedMs),
    },
    ...(job.batchId !== undefined && { batchId: job.batchId }),
    ...(job.labels !== undefined && { labels: job.labels }),
  }
}
