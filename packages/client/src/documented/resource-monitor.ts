const MIB = 1024 * 1024

/** Usage measured by {@link ResourceMonitor}. Time in seconds, memory in MiB, processor in percent of one core. */
export interface MonitoredUsage {
  readonly execution_time_seconds: number
  readonly memory_start_mb: number
  readonly memory_peak_mb: number
  readonly cpu_samples: number
  readonly cpu_average_percent: number
  readonly cpu_peak_percent: number
}

interface Sample {
  readonly atMs: number
  readonly cpuMs: number
}

/**
 * Measures its own process since the start: `ResourceMonitor` of the API document. The usage of a sandboxed program is in the
 * `resource_usage` of its result.
 */
export class ResourceMonitor {
  #first: Sample | undefined
  #last: Sample = { atMs: 0, cpuMs: 0 }
  #memoryStart = 0
  #memoryPeak = 0
  #samples = 0
  #cpuPeak = 0

  /** Starts, or starts again. */
  startMonitoring(): void {
    this.#first = sample()
    this.#last = this.#first
    this.#memoryStart = memoryMb()
    this.#memoryPeak = this.#memoryStart
    this.#samples = 0
    this.#cpuPeak = 0
  }

  /** Takes a sample. @throws {Error} before {@link startMonitoring} */
  updateMonitoring(): void {
    this.#take()
  }

  /** The usage since the start; takes a sample. @throws {Error} before {@link startMonitoring} */
  getResourceUsage(): MonitoredUsage {
    const first = this.#take()
    const average = percent(first, this.#last)
    return {
      execution_time_seconds: (this.#last.atMs - first.atMs) / 1000,
      memory_start_mb: this.#memoryStart,
      memory_peak_mb: this.#memoryPeak,
      cpu_samples: this.#samples,
      cpu_average_percent: average,
      cpu_peak_percent: Math.max(this.#cpuPeak, average),
    }
  }

  #take(): Sample {
    if (this.#first === undefined) throw new Error('ResourceMonitor: call startMonitoring() first')
    const now = sample()
    this.#memoryPeak = Math.max(this.#memoryPeak, memoryMb())
    this.#cpuPeak = Math.max(this.#cpuPeak, percent(this.#last, now))
    this.#samples += 1
    this.#last = now
    return this.#first
  }
}

function sample(): Sample {
  const { user, system } = process.cpuUsage()
  return { atMs: performance.now(), cpuMs: (user + system) / 1000 }
}

function percent(from: Sample, to: Sample): number {
  const ms = to.atMs - from.atMs
  return ms > 0 ? (100 * (to.cpuMs - from.cpuMs)) / ms : 0
}

function memoryMb(): number {
  return process.memoryUsage.rss() / MIB
}
