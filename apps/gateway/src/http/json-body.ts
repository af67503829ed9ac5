import { isUtf8 } from 'node:buffer'
import { scanJson } from './json-scan.ts'
import { badRequest, invalidField } from './problem.ts'

/** Maximum nesting of objects and lists: that of a job, plus the request around it. */
const MAX_DEPTH = 120

/**
 * Parses a JSON body. Refuses bodies that are not UTF-8, nested too deeply, or have duplicate fields.
 *
 * @throws {RequestRefused}
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8.', { code: 'not_utf8' })
  const finding = scanJson(bytes, MAX_DEPTH)
  if (finding?.problem === 'too_deep') {
    const detail = `The body nests objects and lists more than ${MAX_DEPTH} deep.`
    throw badRequest(detail, { code: 'too_deep' })
  }
  const body = parse(bytes)
  if (finding?.problem === 'duplicate') {
    throw invalidField(finding.field, 'must not appear twice in an object', 'duplicate_field')
  }
  return body
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw badRequest('The body is not valid JSON.', { code: 'invalid_json' })
  }
}
