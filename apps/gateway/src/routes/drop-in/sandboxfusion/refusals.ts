import type { SendRefusal } from '../../../http/create-http.ts'
import type { Refusal } from '../../../http/problem.ts'
import { type FieldNames, fieldErrorsOf } from '../field-errors.ts'

/** Fields of a job → the fields of a request that they are made from. */
export const SANDBOXFUSION_FIELD_NAMES: FieldNames = {
  fetchFiles: 'fetch_files',
  'limits.timeoutSeconds': 'run_timeout',
  'limits.memoryMb': 'memory_limit_MB',
}

/** One refused field, as FastAPI writes it. */
export interface FieldDetail {
  readonly type: string
  readonly loc: readonly string[]
  readonly msg: string
}

const UNREADABLE = ['not_utf8', 'too_deep', 'invalid_json']

/** A refusal as SandboxFusion writes it: `detail`, which is a list for what is wrong with a request. */
export function sandboxFusionRefusal(refusal: Refusal): {
  status: number
  body: { detail: string | readonly FieldDetail[] }
} {
  const { status, code, detail } = refusal
  const errors = fieldErrorsOf(refusal, SANDBOXFUSION_FIELD_NAMES)
  if (errors.length > 0) {
    const details = errors.map(({ field, message }) => ({
      type: message.startsWith('Field required') ? 'missing' : 'value_error',
      loc: ['body', ...locationOf(field)],
      msg: message,
    }))
    return { status: 422, body: { detail: details } }
  }
  if (UNREADABLE.includes(code)) {
    return { status: 422, body: { detail: [{ type: 'json_invalid', loc: ['body'], msg: detail }] } }
  }
  return { status, body: { detail } }
}

/** Sends a refusal as SandboxFusion would. */
export const sendSandboxFusionRefusal: SendRefusal = (reply, _, refusal) => {
  const { status, body } = sandboxFusionRefusal(refusal)
  return reply.code(status).send(body)
}

/** The names on the way to a field of `config`; other fields are names by themselves, and may have dots. */
function locationOf(field: string): string[] {
  if (field === '') return []
  return field.startsWith('config.') ? field.split('.') : [field]
}
