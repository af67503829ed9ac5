import type { Result } from '@isopod/protocol'
import type { SampleVerdict } from './sample-verdict.ts'

/** A judged sample, as a report takes it. */
export interface GradedSample {
  /** Its number in the file of samples, from 1. */
  readonly number: number
  readonly problem: string
  readonly verdict: SampleVerdict
  readonly code: string
  readonly result: Result | undefined
  /** Judged differently when it ran again. */
  readonly flaky?: boolean
}

/** What a report shows of one sample. */
export interface Detail {
  readonly number: number
  readonly verdict: SampleVerdict
  readonly code: string
  readonly output: string
  readonly errors: string
  /** One line for each test of interest: its name, its verdict, where it differs. */
  readonly tests: readonly string[]
  readonly message: string
  /** Why it looks as if it was written to pass without doing what is asked. */
  readonly suspicious: string | undefined
}

const CODE = 6_000
const OUTPUT = 2_000
const MESSAGE = 600
const TESTS = 5

/** What is worth showing of a sample, each part cut to a bound. */
export function detailOf({ number, verdict, code, result }: GradedSample): Detail {
  const failed = (result?.tests ?? []).filter(
    (test) => test.verdict !== 'passed' && test.verdict !== 'skipped',
  )
  const tests = failed
    .slice(0, TESTS)
    .map((test) => cut(`${test.name}: ${test.verdict}${test.diff === null ? '' : `, ${test.diff}`}`, MESSAGE))
  const more = failed.length > TESTS ? [`and ${failed.length - TESTS} more tests`] : []
  return {
    number,
    verdict,
    code: cut(code, CODE),
    output: cut(result?.stdout ?? '', OUTPUT),
    errors: cut(result?.compileOutput || result?.stderr || '', OUTPUT),
    tests: [...tests, ...more],
    message: cut(result?.errorMessage ?? '', MESSAGE),
    suspicious: suspicion(result),
  }
}

/** Why a sample is suspicious; undefined if none of its tests is. */
export function suspicion(result: Result | undefined): string | undefined {
  const found = result?.tests?.find(({ suspicious }) => suspicious !== undefined)?.suspicious
  return found === undefined ? undefined : cut(found, MESSAGE)
}

/** Characters that a detail takes of a report. */
export function detailSize({ code, output, errors, tests, message }: Detail): number {
  return [code, output, errors, message, ...tests].reduce((sum, text) => sum + text.length, 0)
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`
}
