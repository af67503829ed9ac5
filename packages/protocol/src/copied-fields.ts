import type { Job } from './job.ts'
import type { Result } from './result.ts'

/** Fields that each result of a job copies from the job, whether the job ran, was cancelled or had a cached result. */
const COPIED_FIELDS = ['tenant', 'batchId', 'labels'] as const

type CopiedField = (typeof COPIED_FIELDS)[number]

/** The fields of a result that come from its job; without those that the job does not set. */
export function copiedFields(job: Job): Pick<Result, CopiedField> {
  const set = COPIED_FIELDS.filter((name) => job[name] !== undefined)
  return Object.fromEntries(set.map((name) => [name, job[name]])) as Pick<Result, CopiedField>
}

/** A result without the fields that it copied from its job, so that another job can have it. */
export function withoutCopiedFields(result: Result): Omit<Result, CopiedField> {
  const copied: readonly string[] = COPIED_FIELDS
  return Object.fromEntries(Object.entries(result).filter(([name]) => !copied.includes(name))) as Omit<
    Result,
    CopiedField
  >
}
