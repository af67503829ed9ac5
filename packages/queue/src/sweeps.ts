import { setTimeout as sleep } from 'node:timers/promises'
import type { Observe } from './consumer-events.ts'
import { type SweepParts, sweepFailedJobs } from './jobs/sweep-failed.ts'
import { sweepOrphans } from './jobs/sweep-orphans.ts'
import { writeAtLimit } from './redis/at-limit.ts'
import { interval } from './redis/interval.ts'
import { sweepResults } from './results/sweep-results.ts'
import { sweepUntaken, type UntakenMaxima } from './results/untaken-results.ts'
import type { Leases } from './workers/leases.ts'
import { forgetSlotsOfDead } from './workers/worker-slots.ts'

const SWEEP_INTERVAL_MS = 30_000
const UNTAKEN_INTERVAL_MS = 5000
/** How often all keys are scanned for jobs that are in no list, in milliseconds. */
const ORPHANS_INTERVAL_MS = 600_000

/** The parts of the periodic sweeps. */
export interface SweepsParts extends SweepParts {
  readonly leases: Leases
  readonly resultTtlSeconds: number
  readonly maxUntaken: Partial<UntakenMaxima> | undefined
  readonly observe: Observe
  /** Ends the sweeps. */
  readonly ended: AbortSignal
  readonly report: (thrown: unknown) => void
}

/** Sweeps now and every 30 s: failed jobs on each worker, the rest on one worker at a time; untaken results every 5 s. */
export function startSweeps(parts: SweepsParts): void {
  const { redis, keys, leases, resultTtlSeconds, observe, ended, report } = parts
  const sweep = async () => {
    await sweepFailedJobs(parts)
    if (!(await leases.claim('sweep', 2 * SWEEP_INTERVAL_MS))) return
    await sweepResults(redis, keys, resultTtlSeconds)
    await forgetSlotsOfDead(redis, keys)
    const isDue = await writeAtLimit(redis, 'SET', keys.claim('orphans'), '', 'PX', ORPHANS_INTERVAL_MS, 'NX')
    if (isDue === 'OK') await sweepOrphans(redis, keys)
  }
  const sweepOften = async () => {
    if (!(await leases.claim('sweep', 2 * SWEEP_INTERVAL_MS))) return
    const dropped = await sweepUntaken(redis, keys, parts.maxUntaken)
    if (dropped.results + dropped.bytes > 0) observe({ type: 'resultsDropped', dropped })
  }
  sweep().then(sweepOften).catch(report)
  void interval(SWEEP_INTERVAL_MS, sweep, ended, report)
  void untakenSweeps(sweepOften, ended, report)
}

/** Sweeps often, because results can fill Redis fast, but not more than a twentieth of the time. */
async function untakenSweeps(
  sweep: () => Promise<void>,
  ended: AbortSignal,
  report: (thrown: unknown) => void,
) {
  for (let pauseMs = UNTAKEN_INTERVAL_MS; ; ) {
    if (!(await sleep(pauseMs, true, { signal: ended, ref: false }).catch(() => false))) return
    const started = performance.now()
    await sweep().catch((thrown: unknown) => {
      if (!ended.aborted) report(thrown)
    })
    pauseMs = Math.max(UNTAKEN_INTERVAL_MS, 20 * (performance.now() - started))
  }
}
