import type { Refusal } from '../../../http/problem.ts'
import { type FieldNames, fieldErrorsOf } from '../field-errors.ts'

/** Fields of a job → fields of a request. */
export const PISTON_FIELD_NAMES: FieldNames = {
  code: 'files[0].content',
  'limits.timeoutSeconds': 'run_timeout',
  'limits.cpuSeconds': 'run_cpu_time',
  'limits.memoryMb': 'run_memory_limit',
}

/** A refusal in Piston's form: `message`, and 400 for any invalid request. */
export function pistonRefusal(refusal: Refusal): { status: number; body: { message: string } } {
  if (refusal.status === 415) {
    return { status: 415, body: { message: 'requests must be of type application/json' } }
  }
  const errors = fieldErrorsOf(refusal, PISTON_FIELD_NAMES)
  if (errors.length === 0) return { status: refusal.status, body: { message: refusal.detail } }
  const sentences = errors.map(({ field, message }) => {
    // Piston's own messages already name the field.
    return field === '' || message.startsWith(field) ? message : `${field} ${message}`
  })
  return { status: refusal.status === 422 ? 400 : refusal.status, body: { message: sentences.join('; ') } }
}
