import type { Rate } from './rate.ts'
import type { Counts, Tally } from './tally.ts'

/** How often progress is told, in milliseconds. */
const APART_MS = 100

/** How far a batch is. */
export interface Progress extends Counts {
  /** Samples that have come to their end, in this run and before. */
  readonly done: number
  /** Undefined if nobody said how many there are. */
  readonly total: number | undefined
  /** Samples that come to their end in this run, those of earlier runs aside, over the last half minute. */
  readonly ratePerSecond: number
  /** Undefined where rate or total are unknown. */
  readonly etaSeconds: number | undefined
  /** Of what is known so far; undefined before the first verdict. */
  readonly passAt1: number | undefined
}

/** How far it is. */
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

/** Tells of something that happens often no more often than anybody can look. */
export class Teller {
  readonly #tell: () => void
  #timer: NodeJS.Timeout | undefined

  /** @param tell what it throws is ignored */
  constructor(tell: () => void) {
    this.#tell = () => {
      try {
        tell()
      } catch {
        // Showing progress must not cost a verdict.
      }
    }
  }

  /** Something happened. */
  note(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#tell()
    }, APART_MS)
  }

  /** It is over: tells a last time. */
  end(): void {
    clearTimeout(this.#timer)
    this.#tell()
  }
}

/** How many samples there are, as far as their list says. */
export function countOf(samples: object): number | undefined {
  if ('length' in samples && typeof samples.length === 'number') return samples.length
  if ('size' in samples && typeof samples.size === 'number') return samples.size
  return undefined
}
