import { isUtf8 } from 'node:buffer'
import { scanJson } from './json-scan.ts'
import { type Refusal, RequestRefused } from './problem.ts'

/** Maximum nesting of objects and lists: that of a job, plus the request around it. */
const MAX_DEPTH = 120

/** Maximum length of a field's name in a refusal. */
const SHOWN = 255

/**
 * Parses a JSON body. Refuses bodies that are not UTF-8, nested too deeply, or have duplicate fields.
 *
 * @throws {RequestRefused}
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw refused('not_utf8', 'The body is not valid UTF-8.')
  const finding = scanJson(bytes, MAX_DEPTH)
  if (finding?.problem === 'too_deep') {
    throw refused('too_deep', `The body nests objects and lists more than ${MAX_DEPTH} deep.`)
  }
  const body = parse(bytes)
  if (finding?.problem === 'duplicate') {
    const field = finding.field.slice(0, SHOWN).replaceAll(/\p{C}/gu, '\ufffd')
    const message = `${field}: must not appear twice in an object`
    throw refused('duplicate_field', message, [{ field, message }])
  }
  return body
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw refused('invalid_json', 'The body is not valid JSON.')
  }
}

function refused(code: string, detail: string, errors?: Refusal['errors']): RequestRefused {
  return new RequestRefused({ status: 400, code, detail, errors })
}
