import type { RunSample } from '@isopod/init'

/** Summarizes the samples of a run in constant memory. */
export class SampleSummary {
  #count = 0
  #last: Pick<RunSample, 'wallMs' | 'cpuMs'> = { wallMs: 0, cpuMs: 0 }
  #cpuPeakPercent = 0
  #memoryStartBytes: number | null = null
  #memoryPeakBytes: number | null = null
  #processesPeak: number | null = null

  /** Adds the next sample, in the order in which init sent them. */
  add(sample: RunSample): void {
    this.#count += 1
    this.#cpuPeakPercent = Math.max(
      this.#cpuPeakPercent,
      cpuPercent(sample.cpuMs - this.#last.cpuMs, sample.wallMs - this.#last.wallMs),
    )
    this.#memoryStartBytes ??= sample.memoryBytes
    this.#memoryPeakBytes = larger(this.#memoryPeakBytes, sample.memoryBytes)
    this.#processesPeak = larger(this.#processesPeak, sample.processes)
    this.#last = { wallMs: sample.wallMs, cpuMs: sample.cpuMs }
  }

  get count(): number {
    return this.#count
  }

  /** Time and CPU time at the last sample, in milliseconds; zeros before the first. */
  get last(): { readonly wallMs: number; readonly cpuMs: number } {
    return this.#last
  }

  /** Highest CPU use between two samples, in per cent of one core. */
  get cpuPeakPercent(): number {
    return this.#cpuPeakPercent
  }

  get memoryStartBytes(): number | null {
    return this.#memoryStartBytes
  }

  get memoryPeakBytes(): number | null {
    return this.#memoryPeakBytes
  }

  get processesPeak(): number | null {
    return this.#processesPeak
  }
}

/** Per cent of one core, with one decimal. */
export function cpuPercent(cpuMs: number, wallMs: number): number {
  return wallMs <= 0 ? 0 : Math.round((cpuMs / wallMs) * 1000) / 10
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
