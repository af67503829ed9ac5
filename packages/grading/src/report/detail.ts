import type { Result } from '@isopod/protocol'
import type { SampleVerdict } from './sample-verdict.ts'

/** A sample with its verdict. */
export interface GradedSample {
  /** Number in the file of samples, from 1. */
  readonly number: number
  readonly problem: string
  readonly verdict: SampleVerdict
  readonly code: string
  readonly result: Result | undefined
  /** Its verdict changed when it ran again. */
  readonly flaky?: boolean
  /** It is a judge error that does not count. */
  readonly excluded?: boolean
}

/** Details of one sample in a report. */
export interface Detail {
  readonly number: number
  readonly verdict: SampleVerdict
  readonly code: string
  readonly output: string
  readonly errors: string
  /** One line for each relevant test: name, verdict, difference. */
  readonly tests: readonly string[]
  readonly message: string
  /** Why it seems to pass without solving the task. */
  readonly suspicious: string | undefined
}

/** Maximum lengths of the parts of a detail, in characters. */
const MAX_CODE = 6_000
const MAX_OUTPUT = 2_000
const MAX_MESSAGE = 600
/** Maximum number of failed tests in a detail. */
const MAX_TESTS = 5

/** The details of a sample, each part cut to a maximum length. */
export function detailOf({ number, verdict, code, result }: GradedSample): Detail {
  const failed = (result?.tests ?? []).filter(
    (test) => test.verdict !== 'passed' && test.verdict !== 'skipped',
  )
  const tests = failed
    .slice(0, MAX_TESTS)
    .map((test) =>
      cut(`${test.name}: ${test.verdict}${test.diff === null ? '' : `, ${test.diff}`}`, MAX_MESSAGE),
    )
  const more = failed.length > MAX_TESTS ? [`and ${failed.length - MAX_TESTS} more tests`] : []
  return {
    number,
    verdict,
    code: cut(code, MAX_CODE),
    output: cut(result?.stdout ?? '', MAX_OUTPUT),
    errors: cut(result?.compileOutput || result?.stderr || '', MAX_OUTPUT),
    tests: [...tests, ...more],
    message: cut(result?.errorMessage ?? '', MAX_MESSAGE),
    suspicious: suspicion(result),
  }
}

/** Why a sample is suspicious; undefined if none of its tests is. */
export function suspicion(result: Result | undefined): string | undefined {
  const found = result?.tests?.find(({ suspicious }) => suspicious !== undefined)?.suspicious
  return found === undefined ? undefined : cut(found, MAX_MESSAGE)
}

/** Length of the details of one sample in a report, in characters. */
export function detailSize({ code, output, errors, tests, message }: Detail): number {
  return [code, output, errors, message, ...tests].reduce((sum, text) => sum + text.length, 0)
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (${text.length - max} more characters)`
}
