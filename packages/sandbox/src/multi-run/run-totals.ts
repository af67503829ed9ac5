import type { Outcome, RunOutcome } from '../contract/outcome.ts'
import type { ClassifiedRun } from '../program/classified-run.ts'
import { cpuPercent } from '../program/sample-summary.ts'
import { type Usage, usageOf } from '../program/usage.ts'

/** Sums up the runs of one execution. */
export class RunTotals {
  #decisive: ClassifiedRun | undefined
  #usage: Usage | undefined
  #elapsedMs = 0

  /** The run that its job had no time for, else the first that failed, else the last; undefined before the first run. */
  get decisive(): ClassifiedRun | undefined {
    return this.#decisive
  }

  /** Adds a run. @returns its outcome */
  add(ran: ClassifiedRun): RunOutcome {
    const { report, end } = ran
    const usage = usageOf(report)
    this.#usage = this.#usage === undefined ? usage : mergeUsage(this.#usage, usage)
    this.#elapsedMs += report.elapsedMs
    const isLate = end.limit === 'job'
    if (isLate || (this.#decisive?.end.status ?? 'success') === 'success') this.#decisive = ran
    const { resourceUsage: _, ...measured } = usage
    return { ...end, ...measured, stdout: report.stdout, stderr: report.stderr }
  }

  /** Replaces the measurements of an outcome by those of all runs. */
  applyTo(outcome: Outcome, compileMs: number): Outcome {
    if (this.#usage === undefined) return outcome
    const timings = { ...outcome.timings, run: this.#elapsedMs + compileMs }
    return { ...outcome, ...this.#usage, timings }
  }
}

function mergeUsage(one: Usage, other: Usage): Usage {
  const [a, b] = [one.resourceUsage, other.resourceUsage]
  const wallMs = sum(one.wallMs, other.wallMs)
  const cpuUserMs = sum(one.cpuUserMs, other.cpuUserMs)
  const cpuSysMs = sum(one.cpuSysMs, other.cpuSysMs)
  return {
    wallMs,
    cpuUserMs,
    cpuSysMs,
    memoryPeakBytes: larger(one.memoryPeakBytes, other.memoryPeakBytes),
    processesPeak: larger(one.processesPeak, other.processesPeak),
    throttledMs: sum(one.throttledMs, other.throttledMs),
    resourceUsage: a &&
      b && {
        executionTimeSeconds: a.executionTimeSeconds + b.executionTimeSeconds,
        memoryStartMb: a.memoryStartMb,
        memoryPeakMb: Math.max(a.memoryPeakMb, b.memoryPeakMb),
        cpuSamples: a.cpuSamples + b.cpuSamples,
        cpuAveragePercent: cpuPercent((cpuUserMs ?? 0) + (cpuSysMs ?? 0), wallMs ?? 0),
        cpuPeakPercent: Math.max(a.cpuPeakPercent, b.cpuPeakPercent),
      },
  }
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
