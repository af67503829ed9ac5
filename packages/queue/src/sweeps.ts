import { type SweepParts, sweepFailedJobs } from './jobs/sweep-failed.ts'
import { sweepOrphans } from './jobs/sweep-orphans.ts'
import { writeAtLimit } from './redis/at-limit.ts'
import { interval } from './redis/interval.ts'
import { sweepResults } from './results/sweep-results.ts'
import type { Leases } from './workers/leases.ts'
import { forgetSlotsOfDead } from './workers/worker-slots.ts'

const SWEEP_INTERVAL_MS = 30_000
/** How often all keys are scanned for jobs that are in no list, in milliseconds. */
const ORPHANS_INTERVAL_MS = 600_000

/** The parts of the periodic sweeps. */
export interface SweepsParts extends SweepParts {
  readonly leases: Leases
  readonly resultTtlSeconds: number
  /** Ends the sweeps. */
  readonly ended: AbortSignal
  readonly report: (thrown: unknown) => void
}

/** Sweeps now and every 30 s: failed jobs on each worker, the rest on one worker at a time. */
export function startSweeps(parts: SweepsParts): void {
  const { redis, keys, leases, resultTtlSeconds, ended, report } = parts
  const sweep = async () => {
    await sweepFailedJobs(parts)
    if (!(await leases.claim('sweep', 2 * SWEEP_INTERVAL_MS))) return
    await sweepResults(redis, keys, resultTtlSeconds)
    await forgetSlotsOfDead(redis, keys)
    const isDue = await writeAtLimit(redis, 'SET', keys.claim('orphans'), '', 'PX', ORPHANS_INTERVAL_MS, 'NX')
    if (isDue === 'OK') await sweepOrphans(redis, keys)
  }
  sweep().catch(report)
  void interval(SWEEP_INTERVAL_MS, sweep, ended, report)
}
