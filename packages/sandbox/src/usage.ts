import type { ResourceUsage } from '@isopod/protocol'
import type { ProgramReport } from './run-program.ts'

const MIB = 1024 * 1024

/** Measurements of the main run, in the units of an outcome. */
export interface Usage {
  readonly wallMs: number | null
  readonly cpuUserMs: number | null
  readonly cpuSysMs: number | null
  readonly memoryPeakBytes: number | null
  readonly processesPeak: number | null
  readonly throttledMs: number | null
  readonly resourceUsage: ResourceUsage | null
}

/** What a run used: init's counts, or what its samples showed if the container was lost. */
export function usageOf(report: ProgramReport): Usage {
  const { done, samples } = report
  const last = samples.at(-1)
  if (done === undefined) {
    return {
      wallMs: report.elapsedMs,
      cpuUserMs: null,
      cpuSysMs: null,
      memoryPeakBytes: peak(samples.map((sample) => sample.memoryBytes)),
      processesPeak: peak(samples.map((sample) => sample.processes)),
      throttledMs: null,
      resourceUsage: last ? resourceUsage(report, last.wallMs, last.cpuMs, null, null) : null,
    }
  }
  const cpuMs = done.cpuUserMs + done.cpuSysMs
  return {
    wallMs: done.wallMs,
    cpuUserMs: done.cpuUserMs,
    cpuSysMs: done.cpuSysMs,
    memoryPeakBytes: done.memoryPeakBytes,
    processesPeak: done.processesPeak,
    throttledMs: done.throttledMs,
    resourceUsage: resourceUsage(report, done.wallMs, cpuMs, done.memoryStartBytes, done.memoryPeakBytes),
  }
}

function resourceUsage(
  report: ProgramReport,
  wallMs: number,
  cpuMs: number,
  startBytes: number | null,
  peakBytes: number | null,
): ResourceUsage {
  const average = percent(cpuMs, wallMs)
  const steps = report.samples.map((sample, index) => {
    const before = report.samples[index - 1] ?? { wallMs: 0, cpuMs: 0 }
    return percent(sample.cpuMs - before.cpuMs, sample.wallMs - before.wallMs)
  })
  return {
    executionTimeSeconds: wallMs / 1000,
    memoryStartMb: (startBytes ?? report.samples[0]?.memoryBytes ?? 0) / MIB,
    memoryPeakMb: (peakBytes ?? peak(report.samples.map((sample) => sample.memoryBytes)) ?? 0) / MIB,
    cpuSamples: report.samples.length,
    cpuAveragePercent: average,
    cpuPeakPercent: Math.max(average, ...steps),
  }
}

function peak(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b))
}

/** Per cent of one core, with one decimal. */
function percent(cpuMs: number, wallMs: number): number {
  return wallMs <= 0 ? 0 : Math.round((cpuMs / wallMs) * 1000) / 10
}
