import { meanPassAtK, passAtK } from './pass-at-k.ts'
import { BatchProblem, type StopWhen } from './problem.ts'
import type { BatchOutcome, SampleResult } from './sample.ts'

/** An estimate of pass@k with its 95 % confidence interval. */
export interface PassAt {
  readonly estimate: number
  readonly low: number
  readonly high: number
  /** Number of problems in the estimate: those with at least k samples that count. */
  readonly problems: number
}

/** Numbers of samples by outcome. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Samples that only the verdict `judge_error` kept from passing: among `failed`, or not scored, as `judgeErrors` says. */
  readonly judgeErrors: number
  /** Samples without a verdict. */
  readonly faults: number
  /** Faults that were followed by another attempt. */
  readonly retriedFaults: number
}

/** The totals of a batch. */
export interface Totals extends Counts {
  readonly samples: number
  readonly problems: number
  /** Problems with at least one sample that passed. */
  readonly solved: number
  /** Problems of which every sample passed. */
  readonly flawless: number
  /** By k, as text; null if no problem has k samples that count. */
  readonly passAt: Readonly<Record<string, PassAt | null>>
}

/** Counts outcomes; the order in which samples end does not matter. */
export class Tally {
  readonly #stopWhen: StopWhen
  readonly #problems = new Map<string, BatchProblem>()
  readonly #counts: Record<BatchOutcome, number> = {
    ...{ passed: 0, failed: 0, skipped: 0, fault: 0, excluded: 0 },
  }
  #judgeErrors = 0
  #retriedFaults = 0

  constructor(stopWhen: StopWhen) {
    this.#stopWhen = stopWhen
  }

  /** The problem of this name. */
  problem(name: string): BatchProblem {
    let problem = this.#problems.get(name)
    if (problem === undefined) {
      problem = new BatchProblem(this.#stopWhen)
      this.#problems.set(name, problem)
    }
    return problem
  }

  /** Counts a sample that has ended. */
  add(place: number, { problem, outcome, judgeError, retriedFaults }: SampleResult): void {
    this.problem(problem).settle(place, outcome)
    this.#counts[outcome] += 1
    if (judgeError) this.#judgeErrors += 1
    this.#retriedFaults += retriedFaults
  }

  /** Number of samples that have ended. */
  get done(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0)
  }

  counts(): Counts {
    const { passed, failed, skipped, fault: faults } = this.#counts
    const [judgeErrors, retriedFaults] = [this.#judgeErrors, this.#retriedFaults]
    return { passed, failed, skipped, judgeErrors, faults, retriedFaults }
  }

  /** pass@1 of the verdicts so far; undefined before the first verdict. */
  runningPassAt1(): number | undefined {
    let [sum, known] = [0, 0]
    for (const problem of this.#problems.values()) {
      const tally = problem.tally(1)
      const value = tally && passAtK(tally, 1)
      if (value === undefined) continue
      sum += value
      known += 1
    }
    return known === 0 ? undefined : sum / known
  }

  totals(k: readonly number[]): Totals {
    const problems = [...this.#problems.values()]
    return {
      ...this.counts(),
      samples: this.done,
      problems: problems.length,
      solved: problems.filter(({ isSolved }) => isSolved).length,
      flawless: problems.filter(({ isFlawless }) => isFlawless).length,
      passAt: Object.fromEntries(k.map((each) => [each, passAt(problems, each)])),
    }
  }
}

function passAt(problems: readonly BatchProblem[], k: number): PassAt | null {
  const tallies = problems.flatMap((problem) => problem.tally(k) ?? [])
  const mean = meanPassAtK(tallies, k)
  if (mean === undefined) return null
  return { estimate: mean.value, low: mean.low, high: mean.high, problems: tallies.length }
}
