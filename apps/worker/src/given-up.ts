import { InvalidJobError, type Result } from '@isopod/protocol'
import { type Delivery, type GiveUp, unrunResult } from '@isopod/queue'
import type { Logger } from '@isopod/telemetry'
import type { Audit } from './audit/audit-event.ts'
import { auditedError } from './audit/job-audit.ts'
import type { WorkerConfig } from './config.ts'

/** A job that is given up, as far as it is known: what is in the queue need not be one. */
export type GivenUp = Pick<Delivery, 'id' | 'attempt' | 'enqueuedAt'> & { readonly job?: Delivery['job'] }

/** The result of a job that is not tried again. */
export function givenUpResult(delivery: GivenUp, cause: Error, workerId: string): Result {
  const timings = { queued: Math.max(0, Date.now() - delivery.enqueuedAt) }
  const base = { ...delivery, workerId, timings }
  // What is not a job at all, put into the queue by somebody else than our client, is its sender's fault.
  if (cause instanceof InvalidJobError) {
    const validationErrors = cause.problems.map(({ message }) => message)
    return unrunResult({ ...base, status: 'validation_error', errorMessage: cause.message, validationErrors })
  }
  const errorMessage = `The platform could not run this job: ${cause.message}`
  return unrunResult({ ...base, status: 'setup_error', errorMessage })
}

/** Where it is told that a job was given up. */
export interface GivingUpOptions {
  readonly config: Pick<WorkerConfig, 'workerId'>
  readonly logger: Logger
  readonly audit: Audit
}

/** Makes the function that tells of a job that is given up, and makes its result. */
export function givingUp({ config, logger, audit }: GivingUpOptions): GiveUp {
  return (delivery, cause) => {
    const { id: job, attempt } = delivery
    logger.error({ job, attempt, err: cause }, 'giving up on a job')
    audit({ event: 'given_up', job, attempt, ...auditedError(cause) })
    return givenUpResult(delivery, cause, config.workerId)
  }
}
