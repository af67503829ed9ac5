import { type BatchSummary, meanPassAtK, type SampleResult } from '@isopod/client'
import type { DatasetProblem } from '@isopod/grading'

/** pass@k of the base tests, in the form of that of all tests. */
export type BasePassAt = BatchSummary['passAt']

/** How the base and the further tests of one sample ended, in EvalPlus' words. */
export interface BaseStatus {
  readonly base_status: 'pass' | 'fail'
  readonly plus_status: 'pass' | 'fail'
}

/** Counts the samples that pass their base tests, for data sets that have further tests. */
export class BaseScores {
  readonly #tallies = new Map<string, { samples: number; passed: number }>()
  /** Failed samples whose results, and so those of their base tests, are no longer stored. */
  unknown = 0

  /** Adds one judged sample; returns its status, or undefined if that is unknown. */
  add({ id, baseTests }: DatasetProblem, { outcome, result }: SampleResult): BaseStatus | undefined {
    if (baseTests === undefined || outcome === 'fault' || outcome === 'skipped' || outcome === 'excluded')
      return undefined
    const isPassed = outcome === 'passed'
    const base = result?.tests?.slice(0, baseTests)
    if (!isPassed && result === undefined) {
      this.unknown += 1
      return undefined
    }
    const isBasePassed =
      isPassed || (base?.length === baseTests && base.every(({ verdict }) => verdict === 'passed'))
    const tally = this.#tallies.get(id) ?? { samples: 0, passed: 0 }
    this.#tallies.set(id, tally)
    tally.samples += 1
    if (isBasePassed) tally.passed += 1
    return { base_status: isBasePassed ? 'pass' : 'fail', plus_status: isPassed ? 'pass' : 'fail' }
  }

  passAt(list: readonly number[]): BasePassAt {
    const tallies = [...this.#tallies.values()]
    const rateOf = (k: number) => {
      const counted = tallies.filter(({ samples }) => samples >= k)
      const mean = meanPassAtK(counted, k)
      if (mean === undefined) return null
      return { estimate: mean.value, low: mean.low, high: mean.high, problems: counted.length }
    }
    return Object.fromEntries(list.map((k) => [String(k), rateOf(k)]))
  }
}
