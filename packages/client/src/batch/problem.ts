import type { ProblemTally } from './pass-at-k.ts'
import type { BatchOutcome } from './sample.ts'

/** When to skip the remaining samples of a problem: never, or after a sample passed or failed. */
export type StopWhen = 'never' | 'passed' | 'failed'

/**
 * The samples of one problem, in order.
 *
 * A sample that ended as `stopWhen` says lets only the samples after it be skipped; earlier ones continue. Timing therefore does
 * not change which sample is the first to pass, and the estimate has no bias.
 */
export class BatchProblem {
  readonly #stopWhen: StopWhen
  readonly #outcomes: (BatchOutcome | undefined)[] = []
  /** Cached: progress reads them many times a second, and a batch has up to a million samples. */
  readonly #counts = { passed: 0, failed: 0 }
  /** Place of the first sample that ended as `stopWhen` says. */
  #firstDecisive = Number.POSITIVE_INFINITY

  constructor(stopWhen: StopWhen) {
    this.#stopWhen = stopWhen
  }

  /** Adds a sample. @returns its place, from 0 */
  enter(): number {
    return this.#outcomes.push(undefined) - 1
  }

  /** Records the outcome of a sample; called once for each. */
  settle(place: number, outcome: BatchOutcome): void {
    this.#outcomes[place] = outcome
    if (outcome === 'passed' || outcome === 'failed') this.#counts[outcome] += 1
    if (outcome === this.#stopWhen) this.#firstDecisive = Math.min(this.#firstDecisive, place)
  }

  /** Whether a sample can be skipped. */
  canSkip(place: number): boolean {
    return place > this.#firstDecisive
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
   * The contribution of the problem to pass@k; undefined if too little is known.
   *
   * If all samples are judged, it is the number that passed. If samples are skipped after a pass, the share of passes is biased;
   * whether one of the first k samples passed is not. Faults and excluded samples say nothing about the program.
   */
  tally(k: number): ProblemTally | undefined {
    const isSample = (outcome: BatchOutcome | undefined) => outcome !== 'fault' && outcome !== 'excluded'
    if (this.#stopWhen === 'never') {
      const { passed, failed } = this.#counts
      return passed + failed < k ? undefined : { samples: passed + failed, passed }
    }
    const pass = this.#outcomes.indexOf('passed')
    const before = this.#outcomes.slice(0, pass < 0 ? undefined : pass).filter(isSample)
    // After a pass every sample counts: whether one of them had a fault depends on timing.
    const samples = before.length + (pass < 0 ? 0 : this.#outcomes.length - pass)
    if (samples < k || before.slice(0, k).some((outcome) => outcome !== 'failed')) return undefined
    return { samples: k, passed: pass >= 0 && before.length < k ? k : 0 }
  }
}
