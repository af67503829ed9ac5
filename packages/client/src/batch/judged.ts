import type { Result } from '@isopod/protocol'

/**
 * What a result says of its program: it passed if all of the job's tests did, or without tests if it ended with `success`.
 * A result that is not attributable says nothing, and is never scored. Nor does one that was refused before its code was
 * looked at: limits that this deployment does not give, a test that cannot be judged.
 */
export function judged(
  job: { readonly tests?: { readonly length: number } | undefined },
  result: Result,
): 'passed' | 'failed' | 'fault' {
  if (!result.attributable || isRefusedUnseen(result)) return 'fault'
  if (job.tests === undefined) return result.status === 'success' ? 'passed' : 'failed'
  // A result that knows of fewer tests than the job has is no proof.
  const { passed = 0, total = 0 } = result.summary ?? {}
  return passed === total && total === job.tests.length ? 'passed' : 'failed'
}

/** Whether a job was refused for what it asks for, and not for its code, which the policy looks at. */
export function isRefusedUnseen({ status, policy }: Pick<Result, 'status' | 'policy'>): boolean {
  return status === 'validation_error' && policy === undefined
}
