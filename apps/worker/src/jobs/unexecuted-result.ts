import { InvalidJobError, type Result } from '@isopod/protocol'
import { type Delivery, type GiveUp, unexecutedJobResult } from '@isopod/queue'
import type { Logger } from '@isopod/telemetry'
import type { Audit } from '../audit/audit-event.ts'
import { auditedError } from '../audit/job-audit.ts'

/** A job that is abandoned. `job` is missing if the entry of the queue is not a valid job. */
export type AbandonedJob = Pick<Delivery, 'id' | 'attempt' | 'enqueuedAt'> & {
  readonly job?: Delivery['job']
}

/** The result of a job that is not retried. */
export function unexecutedResult(abandoned: AbandonedJob, cause: Error, workerId: string): Result {
  const timings = { queued: Math.max(0, Date.now() - abandoned.enqueuedAt) }
  const base = { ...abandoned, workerId, timings }
  // A producer without our client can enqueue an invalid job. That is the producer's fault, not the platform's.
  if (cause instanceof InvalidJobError) {
    const validationErrors = cause.problems.map(({ message }) => message)
    return unexecutedJobResult({
      ...base,
      status: 'validation_error',
      errorMessage: cause.message,
      validationErrors,
    })
  }
  const errorMessage = `The platform could not run this job: ${cause.message}`
  return unexecutedJobResult({ ...base, status: 'setup_error', errorMessage })
}

/** Dependencies of {@link abandonJob}. */
export interface AbandonOptions {
  readonly workerId: string
  readonly logger: Logger
  readonly audit: Audit
}

/** Makes the function that reports an abandoned job and makes its result. */
export function abandonJob({ workerId, logger, audit }: AbandonOptions): GiveUp {
  return (delivery, cause) => {
    const { id: job, attempt } = delivery
    logger.error({ job, attempt, err: cause }, 'abandoned a job')
    audit({ event: 'given_up', job, attempt, ...auditedError(cause) })
    return unexecutedResult(delivery, cause, workerId)
  }
}
