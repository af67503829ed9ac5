import { type Detail, detailOf, detailSize, type GradedSample, suspicion } from './detail.ts'
import { SAMPLE_VERDICTS, type SampleVerdict } from './sample-verdict.ts'

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
  /** Time of the slowest sample, in milliseconds; null if none ran. */
  wallMs: number | null
  /** Memory of the largest sample. */
  memoryPeakBytes: number | null
  /** Samples whose verdict changed when they ran again. */
  flaky: number
  suspicious: number
  readonly details: Detail[]
}

/** A sample that a person should review: suspicious, or with a fault. */
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
  readonly faults: Remark[] = []
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
    // A fault says nothing about the program, and neither does its duration.
    if (verdict !== 'fault' && verdict !== 'skipped') {
      const passed = verdict === 'passed'
      if (wallMs !== null) this.times.push({ value: wallMs, passed })
      if (memoryPeakBytes !== null) this.memories.push({ value: memoryPeakBytes, passed })
      problem.wallMs = larger(problem.wallMs, wallMs)
      problem.memoryPeakBytes = larger(problem.memoryPeakBytes, memoryPeakBytes)
    }
    const why = suspicion(result)
    if (why !== undefined) this.#suspect(sample, problem, why)
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
      wallMs: null,
      memoryPeakBytes: null,
      flaky: 0,
      suspicious: 0,
      details: [],
    }
    this.problems.set(name, problem)
    return problem
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
