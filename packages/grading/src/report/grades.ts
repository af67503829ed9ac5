import { type Result, SEPARATIONS, type Separation } from '@isopod/protocol'
import { type Detail, detailOf, detailSize, type GradedSample, suspicion } from './detail.ts'
import { EXPIRED, reasonOf, SAMPLE_VERDICTS, type SampleVerdict } from './sample-verdict.ts'

/** Number of samples by verdict. */
export type VerdictCounts = Record<SampleVerdict, number>

/** Cost of one sample, and whether it passed. */
export interface Measure {
  readonly value: number
  readonly passed: boolean
}

/** Results of the samples of one problem. */
export interface ProblemGrades {
  readonly problem: string
  readonly counts: VerdictCounts
  samples: number
  /** Samples with a verdict that counts: without faults, excluded judge errors, and samples that did not have to run. */
  judged: number
  /** Time of the slowest sample, in milliseconds; null if none ran. */
  wallMs: number | null
  /** Memory of the largest sample. */
  memoryPeakBytes: number | null
  /** Samples whose verdict changed when they ran again. */
  flaky: number
  suspicious: number
  readonly details: Detail[]
}

/** Number of samples of one language by the place where their test scripts ran. */
export type SeparationCounts = Record<Separation, number>

/** A sample that a person should review: suspicious, unverified, with a judge error, or with a fault. */
export interface Remark {
  readonly number: number
  readonly problem: string
  readonly verdict: SampleVerdict
  readonly text: string
}

/** Maximum number of detailed samples of one problem. */
const MAX_DETAILS_PER_PROBLEM = 3
/** Maximum total length of all details, in characters. */
const MAX_DETAIL_CHARACTERS = 6_000_000
const REMARKS = 200

/** Collects the results of a batch for a report, in bounded memory. */
export class Grades {
  readonly counts: VerdictCounts = noCounts()
  readonly problems = new Map<string, ProblemGrades>()
  readonly times: Measure[] = []
  readonly memories: Measure[] = []
  readonly suspicious: Remark[] = []
  readonly judgeErrors: Remark[] = []
  readonly unverified: Remark[] = []
  readonly faults: Remark[] = []
  /** Language with its version → where the test scripts of its samples ran. Empty for data sets without scripts. */
  readonly separations = new Map<string, SeparationCounts>()
  /** Judge errors that do not count. */
  excludedCount = 0
  suspiciousCount = 0
  /** Samples whose repeated runs ended differently. */
  flakyCount = 0
  /** Samples that did not pass and are reported without details. */
  detailsLeftOut = 0
  #samples = 0
  #held = 0

  get samples(): number {
    return this.#samples
  }

  /** Adds one sample. Add each sample once. */
  add(sample: GradedSample): void {
    const { verdict, result } = sample
    const problem = this.#problem(sample.problem)
    this.#samples += 1
    this.counts[verdict] += 1
    problem.counts[verdict] += 1
    problem.samples += 1
    if (sample.flaky) {
      problem.flaky += 1
      this.flakyCount += 1
    }
    const { wallMs, memoryPeakBytes } = cost(sample)
    if (sample.excluded) this.excludedCount += 1
    if (result !== undefined) this.#separate(result)
    // A fault says nothing about the program, and neither does its duration.
    if (verdict !== 'fault' && verdict !== 'skipped') {
      if (!sample.excluded) problem.judged += 1
      const passed = verdict === 'passed'
      if (wallMs !== null) this.times.push({ value: wallMs, passed })
      if (memoryPeakBytes !== null) this.memories.push({ value: memoryPeakBytes, passed })
      problem.wallMs = larger(problem.wallMs, wallMs)
      problem.memoryPeakBytes = larger(problem.memoryPeakBytes, memoryPeakBytes)
    }
    const why = suspicion(result)
    if (why !== undefined) this.#suspect(sample, problem, why)
    if (verdict === 'judge_error')
      this.#remark(this.judgeErrors, sample, reasonOf(result, verdict) ?? EXPIRED)
    if (verdict === 'unverified') this.#remark(this.unverified, sample, reasonOf(result, verdict) ?? EXPIRED)
    if (verdict === 'fault') this.#remark(this.faults, sample, result?.errorMessage ?? 'no result')
    if (why !== undefined || (verdict !== 'passed' && verdict !== 'skipped'))
      this.#keepDetail(sample, problem)
  }

  #problem(name: string): ProblemGrades {
    const known = this.problems.get(name)
    if (known !== undefined) return known
    const problem: ProblemGrades = {
      problem: name,
      counts: noCounts(),
      samples: 0,
      judged: 0,
      wallMs: null,
      memoryPeakBytes: null,
      flaky: 0,
      suspicious: 0,
      details: [],
    }
    this.problems.set(name, problem)
    return problem
  }

  #separate({ language, tests = [] }: Result): void {
    const separation = tests.find((test) => test.separation !== undefined)?.separation
    const known = SEPARATIONS.find((one) => one === separation)
    if (known === undefined) return
    const counts = this.separations.get(language) ?? { process: 0, both: 0, none: 0 }
    this.separations.set(language, counts)
    counts[known] += 1
  }

  #suspect(sample: GradedSample, problem: ProblemGrades, why: string): void {
    this.suspiciousCount += 1
    problem.suspicious += 1
    this.#remark(this.suspicious, sample, why)
  }

  #remark(list: Remark[], { number, problem, verdict }: GradedSample, text: string): void {
    if (list.length < REMARKS) list.push({ number, problem, verdict, text: text.slice(0, 600) })
  }

  #keepDetail(sample: GradedSample, problem: ProblemGrades): void {
    const detail = detailOf(sample)
    const size = detailSize(detail)
    if (problem.details.length >= MAX_DETAILS_PER_PROBLEM || this.#held + size > MAX_DETAIL_CHARACTERS) {
      this.detailsLeftOut += 1
      return
    }
    this.#held += size
    problem.details.push(detail)
  }
}

/** Cost of a sample: that of its slowest test, because each test has the whole limit. */
export function cost({ result }: Pick<GradedSample, 'result'>): {
  readonly wallMs: number | null
  readonly memoryPeakBytes: number | null
} {
  const tests = result?.tests ?? []
  return {
    wallMs: tests.reduce(
      (most, { wallMs }) => larger(most, wallMs),
      tests.length > 0 ? null : (result?.wallMs ?? null),
    ),
    memoryPeakBytes: tests.reduce(
      (most, { memoryPeakBytes }) => larger(most, memoryPeakBytes),
      tests.length > 0 ? null : (result?.memoryPeakBytes ?? null),
    ),
  }
}

function larger(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.max(one, other)
}

function noCounts(): VerdictCounts {
  return Object.fromEntries(SAMPLE_VERDICTS.map((verdict) => [verdict, 0])) as VerdictCounts
}
