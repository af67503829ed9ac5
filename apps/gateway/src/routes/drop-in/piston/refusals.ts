import type { SendRefusal } from '../../../http/create-http.ts'
import type { Refusal } from '../../../http/problem.ts'
import { type FieldNames, fieldErrorsOf } from '../field-errors.ts'

/** Fields of a job → the fields of a request that they are made from. */
export const PISTON_FIELD_NAMES: FieldNames = {
  code: 'files[0].content',
  'limits.timeoutSeconds': 'run_timeout',
  'limits.cpuSeconds': 'run_cpu_time',
  'limits.memoryMb': 'run_memory_limit',
}

/** A refusal as Piston writes it: `message`, and 400 for anything that is wrong with a request. */
export function pistonRefusal(refusal: Refusal): { status: number; body: { message: string } } {
  if (refusal.status === 415) {
    return { status: 415, body: { message: 'requests must be of type application/json' } }
  }
  const errors = fieldErrorsOf(refusal, PISTON_FIELD_NAMES)
  if (errors.length === 0) return { status: refusal.status, body: { message: refusal.detail } }
  const sentences = errors.map(({ field, message }) => {
    // Sentences of Piston's own name the field already.
    return field === '' || message.startsWith(field) ? message : `${field} ${message}`
  })
  return { status: refusal.status === 422 ? 400 : refusal.status, body: { message: sentences.join('; ') } }
}

/** Sends a refusal as Piston would. */
export const sendPistonRefusal: SendRefusal = (reply, _, refusal) => {
  const { status, body } = pistonRefusal(refusal)
  return reply.code(status).send(body)
}
