import type { Rate } from './rate.ts'
import type { Counts, Tally } from './tally.ts'

/** Minimum time between two reports of progress, in milliseconds. */
const INTERVAL_MS = 100

/** The progress of a batch. */
export interface Progress extends Counts {
  /** Samples that have ended, in this run and before. */
  readonly done: number
  /** Undefined if the number of samples is unknown. */
  readonly total: number | undefined
  /** Samples per second that ended in this run, over the last half minute. */
  readonly ratePerSecond: number
  /** Undefined while rate or total are unknown. */
  readonly etaSeconds: number | undefined
  /** pass@1 of the samples so far; undefined before the first verdict. */
  readonly passAt1: number | undefined
}

/** Computes the progress of a batch. */
export function progressOf(tally: Tally, rate: Rate, total: number | undefined): Progress {
  const { done } = tally
  const ratePerSecond = rate.perSecond()
  const isKnown = total !== undefined && (ratePerSecond > 0 || done >= total)
  return {
    ...tally.counts(),
    done,
    total,
    ratePerSecond,
    etaSeconds: isKnown ? (done >= total ? 0 : (total - done) / ratePerSecond) : undefined,
    passAt1: tally.runningPassAt1(),
  }
}

/** Calls a listener for frequent changes, at most ten times a second. */
export class Throttle {
  readonly #report: () => void
  #timer: NodeJS.Timeout | undefined

  /** @param report errors that it throws are ignored */
  constructor(report: () => void) {
    this.#report = () => {
      try {
        report()
      } catch {
        // An error of the listener must not cost a verdict.
      }
    }
  }

  /** Notes a change. */
  note(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#report()
    }, INTERVAL_MS)
  }

  /** Reports the last state. */
  end(): void {
    clearTimeout(this.#timer)
    this.#report()
  }
}

/** The number of samples, if their collection has a length or size. */
export function countOf(samples: object): number | undefined {
  if ('length' in samples && typeof samples.length === 'number') return samples.length
  if ('size' in samples && typeof samples.size === 'number') return samples.size
  return undefined
}
