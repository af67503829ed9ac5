import { type FieldProblem, InvalidJobError, parseJob } from '@isopod/protocol'
import type { z } from 'zod'
import { type Refusal, RequestRefused } from '../../http/problem.ts'
import type { UncheckedJob } from '../../submissions.ts'

/** A refused field, by the caller's name for it, and what is wrong with it. */
export type DropInFieldError = FieldProblem

/** Names of a job's fields → names of the fields that the caller sent. */
export type FieldNames = Readonly<Record<string, string>>

/** Makes the refusal of some fields. */
export function refusedFields(errors: readonly DropInFieldError[]): RequestRefused {
  const detail = errors
    .map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
    .join('; ')
  return new RequestRefused({ status: 422, code: 'invalid_request', detail, errors })
}

/**
 * Parses a request with the schema of the service.
 *
 * @throws {RequestRefused} 422 with the first error of each field
 */
export function parseFields<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const errors = new Map<string, DropInFieldError>()
  for (const { path, message } of parsed.error.issues.slice(0, 100)) {
    const field = pathText(path)
    if (!errors.has(field)) errors.set(field, { field, message })
  }
  throw refusedFields([...errors.values()])
}

/**
 * Returns the job if it is valid. Does not check its language, which only the queue knows.
 *
 * @throws {RequestRefused} 422 with the caller's names of the fields
 */
export function checkedJob(job: UncheckedJob, names: FieldNames): UncheckedJob {
  try {
    parseJob(job)
    return job
  } catch (error) {
    if (error instanceof InvalidJobError) throw refusedFields(renamedErrors(error.problems, names))
    throw error
  }
}

/** The refused fields of any refusal, by the caller's names; empty if it is not about fields. */
export function fieldErrorsOf({ errors = [] }: Refusal, names: FieldNames): DropInFieldError[] {
  return renamedErrors(errors, names)
}

function renamedErrors(errors: readonly DropInFieldError[], names: FieldNames): DropInFieldError[] {
  return errors.map(({ field, message }) => {
    const plain = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
    return { field: renamed(field.replace(/^jobs\[\d+\]\./, ''), names), message: plain }
  })
}

/** Renames a field by the longest name that is its path or the start of its path. */
function renamed(field: string, names: FieldNames): string {
  const [known] = Object.keys(names)
    .filter((name) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`))
    .sort((one, other) => other.length - one.length)
  return known === undefined ? field : (names[known] ?? field)
}

/** `files`, 0, `content` → `files[0].content` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key).slice(0, 255)}`,
    )
    .join('')
}
