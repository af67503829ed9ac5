import type { Job, Result } from '@isopod/protocol'

/**
 * What a result says of its program: it passed if all of the job's tests did, or without tests if it ended with `success`.
 * A result that is not attributable says nothing, and is never scored.
 */
export function judged(job: Pick<Job, 'tests'>, result: Result): 'passed' | 'failed' | 'fault' {
  if (!result.attributable) return 'fault'
  if (job.tests === undefined) return result.status === 'success' ? 'passed' : 'failed'
  // A result that knows of fewer tests than the job has is no proof.
  const { passed = 0, total = 0 } = result.summary ?? {}
  return passed === total && total === job.tests.length ? 'passed' : 'failed'
}
