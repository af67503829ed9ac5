import type { Refusal } from '../../../http/problem.ts'
import { type FieldNames, fieldErrorsOf } from '../field-errors.ts'

/** Fields of a job → fields of a request. */
export const SANDBOXFUSION_FIELD_NAMES: FieldNames = {
  fetchFiles: 'fetch_files',
  'limits.timeoutSeconds': 'run_timeout',
  'limits.memoryMb': 'memory_limit_MB',
}

/** One refused field, in FastAPI's form. */
export interface FieldDetail {
  readonly type: string
  readonly loc: readonly string[]
  readonly msg: string
}

const UNREADABLE = ['not_utf8', 'too_deep', 'invalid_json']

/** A refusal in SandboxFusion's form: `detail`, which is a list of fields if the request is invalid. */
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

/** Splits the path of a field of `config`. Other fields are single names, which may contain dots. */
function locationOf(field: string): string[] {
  if (field === '') return []
  return field.startsWith('config.') ? field.split('.') : [field]
}
