import { isUtf8 } from 'node:buffer'
import { RequestRefused } from './problem.ts'

/** Objects and lists within each other: what jobs allow, and room for the request around them. */
const MAX_DEPTH = 120

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/**
 * Parses a JSON body. What is not UTF-8, or too deep, is refused before it is parsed.
 *
 * @throws {RequestRefused}
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw refused('not_utf8', 'The body is not valid UTF-8.')
  if (isDeeperThan(bytes, MAX_DEPTH)) {
    throw refused('too_deep', `The body nests objects and lists more than ${MAX_DEPTH} deep.`)
  }
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw refused('invalid_json', 'The body is not valid JSON.')
  }
}

/** Counts brackets outside of strings; on text that is no JSON it may be wrong, and the parser says so. */
function isDeeperThan(bytes: Buffer, most: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (OPENING.has(byte)) {
      depth += 1
      if (depth > most) return true
    } else if (CLOSING.has(byte)) depth -= 1
  }
  return false
}

function refused(code: string, detail: string): RequestRefused {
  return new RequestRefused({ status: 400, code, detail })
}
