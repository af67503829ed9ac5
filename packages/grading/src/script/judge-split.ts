import { type SplitReport, splitReportSchema } from '@isopod/protocol'
import { failureOf } from '../verdict.ts'
import { lastWords, type ScriptRun, type ScriptVerdict } from './judge.ts'

const NO_ANSWER = 'its process ended, or sent what is no answer, before its tests reached their end'

/** Reads the report of a judge. @returns undefined if it is none */
export function readSplitReport(bytes: Uint8Array): SplitReport | undefined {
  try {
    return splitReportSchema.parse(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    return undefined
  }
}

/** How a script ended, and a text about it. */
interface JudgeEnd {
  /**
   * Other than those of a report: the judge gave none; `exhausted`: because it exceeded a limit or crashed, which a value of the
   * code can cause.
   */
  readonly end: SplitReport['end'] | 'failed' | 'exhausted'
  readonly message: string
  readonly inCallback?: SplitReport['inCallback']
}

/** Words of code that may handle an error of a function that it calls, as a retry and a test runner do. */
const HANDLES_ERRORS = /\b(?:catch|except|finally|suppress|gather|allSettled|__a?exit__|contextmanager)\b/

const MAY_HANDLE = 'in a function that the code calls, and may call to handle its errors'

/**
 * Judges one run of a script in a process of its own. It passes only if the judge says so and the code's process ended well.
 *
 * @param source the code
 */
export function judgeSplit(
  code: Omit<ScriptRun, 'report'>,
  { end, message, inCallback = false }: JudgeEnd,
  source: string,
): ScriptVerdict {
  const failure = failureOf(code.status)
  const failed = failure && { verdict: failure, diff: lastWords(code) }
  switch (end) {
    case 'passed':
      return failed ?? { verdict: 'passed', diff: null }
    case 'assertion':
      // In one process the code would decide what becomes of the error.
      if (inCallback && HANDLES_ERRORS.test(source)) {
        return { verdict: 'unverified', diff: `an assertion fails ${MAY_HANDLE}: ${message}` }
      }
      return { verdict: 'wrong_answer', diff: message }
    case 'error':
      return { verdict: 'runtime_error', diff: message }
    case 'unverified':
      return { verdict: 'unverified', diff: message }
    case 'broken':
      return { verdict: 'judge_error', diff: `the script is no program: ${message}` }
    case 'lost':
      return failed ?? { verdict: 'wrong_answer', diff: NO_ANSWER, suspicious: NO_ANSWER }
    case 'failed':
      return failed ?? { verdict: 'judge_error', diff: `the judge failed: ${message}` }
    case 'exhausted':
      return failed ?? { verdict: 'unverified', diff: `the judge failed: ${message}` }
    default:
      return end satisfies never
  }
}
