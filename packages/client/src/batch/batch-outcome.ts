import type { Result } from '@isopod/protocol'

/** What the result of a sample says about it. `judge_error`: failed programs that judge are all that kept it from passing. */
export type SampleJudgement = 'passed' | 'failed' | 'judge_error' | 'fault'

/** As {@link batchOutcome}, but tells samples apart that failed only because programs that judge did. */
export function sampleJudgement(job: Parameters<typeof batchOutcome>[0], result: Result): SampleJudgement {
  const outcome = batchOutcome(job, result)
  const failed = (result.tests ?? []).filter(({ verdict }) => verdict !== 'passed' && verdict !== 'skipped')
  const isUndecided = failed.length > 0 && failed.every(({ verdict }) => verdict === 'judge_error')
  return outcome === 'failed' && isUndecided ? 'judge_error' : outcome
}

/**
 * The outcome of a sample: `passed` if all tests of the job passed, or, without tests, if the status is `success`. Results
 * that are not attributable, and jobs that were refused for another reason than their code (limits above the deployment's, for
 * example), are a `fault` and never scored.
 */
export function batchOutcome(
  job: { readonly tests?: { readonly length: number } | undefined },
  result: Result,
): 'passed' | 'failed' | 'fault' {
  if (!result.attributable || isRefusedBeforeCheck(result)) return 'fault'
  if (job.tests === undefined) return result.status === 'success' ? 'passed' : 'failed'
  // A result with fewer tests than the job has proves nothing.
  const { passed = 0, total = 0 } = result.summary ?? {}
  return passed === total && total === job.tests.length ? 'passed' : 'failed'
}

/** Whether a job was refused before the policy check of its code. */
export function isRefusedBeforeCheck({ status, policy }: Pick<Result, 'status' | 'policy'>): boolean {
  return status === 'validation_error' && policy === undefined
}
