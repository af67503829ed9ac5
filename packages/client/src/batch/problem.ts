import type { ProblemTally } from './pass-at-k.ts'
import type { Outcome } from './sample.ts'

/** When the samples of a problem that are left are needless: never, or once one of them passed, or failed. */
export type StopWhen = 'never' | 'passed' | 'failed'

/**
 * The samples of one problem, by their place among them.
 *
 * What answers a problem ends only the samples behind it; those before it go on. So which sample was the first to pass is known
 * for certain and does not depend on who was quicker, and from that follows an estimate without bias.
 */
export class Problem {
  readonly #stopWhen: StopWhen
  readonly #outcomes: (Outcome | undefined)[] = []
  /** Kept beside them: progress asks many times a second, and a batch has up to a million samples. */
  readonly #counts = { passed: 0, failed: 0 }
  #answeredAt = Number.POSITIVE_INFINITY

  constructor(stopWhen: StopWhen) {
    this.#stopWhen = stopWhen
  }

  /** The place of one more sample, from 0. */
  enter(): number {
    return this.#outcomes.push(undefined) - 1
  }

  /** Notes what became of a sample, once. */
  settle(place: number, outcome: Outcome): void {
    this.#outcomes[place] = outcome
    if (outcome === 'passed' || outcome === 'failed') this.#counts[outcome] += 1
    if (outcome === this.#stopWhen) this.#answeredAt = Math.min(this.#answeredAt, place)
  }

  /** Whether a sample is needless. */
  isAnsweredFor(place: number): boolean {
    return place > this.#answeredAt
  }

  /** Whether a sample passed. */
  get isSolved(): boolean {
    return this.#counts.passed > 0
  }

  /** Whether every sample passed. */
  get isFlawless(): boolean {
    return this.#counts.passed === this.#outcomes.length
  }

  /**
   * What the problem adds to pass@k; undefined if too little is known.
   *
   * Where all samples are judged, that is how many passed. Where the rest is skipped, the passed ones among the judged are too
   * many, as judging ended with one; but whether one of the first k passed is known, and its mean over problems is as free of
   * bias. Faults count as if those samples had never been there: they have nothing to do with the program.
   */
  tally(k: number): ProblemTally | undefined {
    const isSample = (outcome: Outcome | undefined) => outcome !== 'fault'
    if (this.#stopWhen === 'never') {
      const { passed, failed } = this.#counts
      return passed + failed < k ? undefined : { samples: passed + failed, passed }
    }
    const pass = this.#outcomes.indexOf('passed')
    const before = this.#outcomes.slice(0, pass < 0 ? undefined : pass).filter(isSample)
    // Behind a pass each is a sample: whether the platform would have failed it depends on who was quicker.
    const samples = before.length + (pass < 0 ? 0 : this.#outcomes.length - pass)
    if (samples < k || before.slice(0, k).some((outcome) => outcome !== 'failed')) return undefined
    return { samples: k, passed: pass >= 0 && before.length < k ? k : 0 }
  }
}
