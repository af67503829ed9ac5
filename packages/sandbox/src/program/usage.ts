import type { ResourceUsage } from '@isopod/protocol'
import type { ProgramReport } from './run-program.ts'
import { cpuPercent, type SampleSummary } from './sample-summary.ts'

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

/** Resources that a run used: init's counts, or the samples' if the container was lost. */
export function usageOf(report: ProgramReport): Usage {
  const { done, samples } = report
  if (done === undefined) {
    const { wallMs, cpuMs } = samples.last
    return {
      wallMs: report.elapsedMs,
      cpuUserMs: null,
      cpuSysMs: null,
      memoryPeakBytes: samples.memoryPeakBytes,
      processesPeak: samples.processesPeak,
      throttledMs: null,
      resourceUsage: samples.count === 0 ? null : resourceUsage(samples, wallMs, cpuMs),
    }
  }
  const { wallMs, cpuUserMs, cpuSysMs, memoryStartBytes, memoryPeakBytes, processesPeak, throttledMs } = done
  const usage = resourceUsage(samples, wallMs, cpuUserMs + cpuSysMs, memoryStartBytes, memoryPeakBytes)
  return { wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes, processesPeak, throttledMs, resourceUsage: usage }
}

function resourceUsage(
  samples: SampleSummary,
  wallMs: number,
  cpuMs: number,
  startBytes = samples.memoryStartBytes,
  peakBytes = samples.memoryPeakBytes,
): ResourceUsage {
  const average = cpuPercent(cpuMs, wallMs)
  return {
    executionTimeSeconds: wallMs / 1000,
    memoryStartMb: (startBytes ?? 0) / MIB,
    memoryPeakMb: (peakBytes ?? 0) / MIB,
    cpuSamples: samples.count,
    cpuAveragePercent: average,
    cpuPeakPercent: Math.max(average, samples.cpuPeakPercent),
  }
}
