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

/**
 * Resources that a run used: init's counts, or the samples' if the container was lost. The peak of memory is at most the limit:
 * the kernel's peak can be that of an earlier run with a higher limit, it charges itself beyond the limit for a moment, and
 * the size of the largest process includes pages of the image that are charged to other containers.
 */
export function usageOf(report: ProgramReport): Usage {
  const { done, samples } = report
  const measured = done === undefined ? samples.memoryPeakBytes : done.memoryPeakBytes
  const memoryPeakBytes = measured && Math.min(measured, report.memoryLimitBytes)
  if (done === undefined) {
    const { wallMs, cpuMs } = samples.last
    return {
      wallMs: report.elapsedMs,
      cpuUserMs: null,
      cpuSysMs: null,
      memoryPeakBytes,
      processesPeak: samples.processesPeak,
      throttledMs: null,
      resourceUsage: samples.count === 0 ? null : resourceUsage(samples, wallMs, cpuMs, memoryPeakBytes),
    }
  }
  const { wallMs, cpuUserMs, cpuSysMs, memoryStartBytes, processesPeak, throttledMs } = done
  const usage = resourceUsage(samples, wallMs, cpuUserMs + cpuSysMs, memoryPeakBytes, memoryStartBytes)
  return { wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes, processesPeak, throttledMs, resourceUsage: usage }
}

function resourceUsage(
  samples: SampleSummary,
  wallMs: number,
  cpuMs: number,
  peakBytes: number | null,
  startBytes = samples.memoryStartBytes,
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
