import type { Result } from '@isopod/protocol'

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
