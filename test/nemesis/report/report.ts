import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { CHECKOUT } from '@isopod/devstack'
import type { FaultsOutcome } from '../run-faults.ts'

/** A later run of some faults. */
interface LaterRun {
  readonly faults: readonly string[]
  readonly seed: number
  readonly date: string
  readonly commit: string
}

/** What a run found; the content of `docs/chaos.json`. */
export interface ChaosReport extends FaultsOutcome {
  readonly seed: number
  readonly jobsPerFault: number
  /** Number of faults that a whole run makes. */
  readonly allFaults: number
  /** Date of the run, `YYYY-MM-DD`. */
  readonly date: string
  /** Short hash of the commit; with `, with changes` if files differed from it. */
  readonly commit: string
  /** Processor, cores, memory and kernel, without names that identify the machine. */
  readonly machine: string
  /** Duration of the run. */
  readonly seconds: number
  /** Later runs, whose outcomes replaced those of this run. */
  readonly later?: readonly LaterRun[]
}

/** Whether every fault was made, with at least as many jobs as a whole run has. */
export function isWhole(report: ChaosReport, fullJobs: number): boolean {
  return report.outcomes.length === report.allFaults && report.jobsPerFault >= fullJobs
}

/** Replaces the outcomes of faults that were made again. @param order names of all faults */
export function withLaterRun(report: ChaosReport, again: ChaosReport, order: readonly string[]): ChaosReport {
  const faults = again.outcomes.map(({ fault }) => fault)
  const isAgain = ({ fault }: { readonly fault: string }) => faults.includes(fault)
  const outcomes = [...report.outcomes.filter((outcome) => !isAgain(outcome)), ...again.outcomes]
  const { seed, date, commit, allFaults } = again
  const earlier = (report.later ?? [])
    .map((run) => ({ ...run, faults: run.faults.filter((fault) => !faults.includes(fault)) }))
    .filter((run) => run.faults.length > 0)
  return {
    ...report,
    allFaults,
    outcomes: order.flatMap((name) => outcomes.find(({ fault }) => fault === name) ?? []),
    notMade: report.notMade.filter((missing) => !isAgain(missing)),
    later: [...earlier, { faults, seed, date, commit }],
  }
}

/** The commit of the checkout. */
export function currentCommit(): string {
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', CHECKOUT, ...words], { encoding: 'utf8' }).trim()
  try {
    const hash = git('rev-parse', '--short=12', 'HEAD')
    return git('status', '--porcelain') === '' ? hash : `${hash}, with changes`
  } catch {
    return 'unknown'
  }
}

/** The machine of this process. */
export function machineText(): string {
  const memoryGb = Math.round(totalmem() / 1e9)
  return `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores, ${memoryGb} GB, Linux ${release()}`
}
