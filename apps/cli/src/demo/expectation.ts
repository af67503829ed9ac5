import type { JobInput, LimitName, Result, Status } from '@isopod/protocol'

/** The expected result of a job. Fields that are not set are not checked. */
export interface Expectation {
  readonly status: Status
  /** Null if a signal ended it. */
  readonly exitCode?: number | null
  /** The complete text, or a pattern. */
  readonly stdout?: string | RegExp
  readonly stderr?: string | RegExp
  readonly limit?: LimitName
  readonly errorMessage?: string
  readonly compileOutput?: RegExp
  /** Bytes to which stdout must have been cut. */
  readonly cutTo?: number
  /** Maximum of `processesPeak`. */
  readonly processesAtMost?: number
}

/** One job of the demo. */
export interface DemoJob {
  /** What it demonstrates, in a few words. */
  readonly name: string
  readonly job: JobInput
  readonly expect: Expectation
}

/** Compares a result with what was expected; one sentence per difference. */
export function differences(result: Result, expect: Expectation): string[] {
  const found: string[] = []
  const must = (what: string, wanted: unknown, given: unknown) => {
    if (wanted !== undefined && !fits(wanted, given)) {
      found.push(`${what} should be ${show(wanted)} and is ${show(given)}`)
    }
  }
  must('status', expect.status, result.status)
  must('exit code', expect.exitCode, result.exitCode)
  must('stdout', expect.stdout, result.stdout)
  must('stderr', expect.stderr, result.stderr)
  must('limit', expect.limit, result.limit)
  must('error message', expect.errorMessage, result.errorMessage)
  must('compiler output', expect.compileOutput, result.compileOutput)
  if (expect.cutTo !== undefined) {
    must('stdout cut', true, result.truncated.stdout)
    must('bytes of stdout', expect.cutTo, Buffer.byteLength(result.stdout))
  }
  const { processesPeak } = result
  if (expect.processesAtMost !== undefined && (processesPeak ?? 0) > expect.processesAtMost) {
    found.push(`processes should be at most ${expect.processesAtMost} and were ${processesPeak}`)
  }
  return found
}

function fits(wanted: unknown, given: unknown): boolean {
  if (wanted instanceof RegExp) return typeof given === 'string' && wanted.test(given)
  return wanted === given
}

function show(value: unknown): string {
  if (value instanceof RegExp) return String(value)
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}
