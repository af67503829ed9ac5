import { isUtf8 } from 'node:buffer'
import type { JobFile } from '@isopod/protocol'

/** Judge0 breaks lines after 60 characters and ends the last line too. */
const LINE = /.{1,60}/g
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Base64 in lines, as Judge0 writes it. */
export function encodeLines(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(LINE, '$&\n')
}

/** Decodes base64 with or without line breaks; undefined if it is invalid. */
export function decodeBytes(text: string): Buffer | undefined {
  const plain = withoutBlanks(text)
  return BASE64.test(plain) ? Buffer.from(plain, 'base64') : undefined
}

/** Decodes base64 of UTF-8 text; undefined if either is invalid. */
export function decodeText(text: string): string | undefined {
  const bytes = decodeBytes(text)
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/** A file of a job. @param given its bytes, or their base64 with or without line breaks, which the job's schema validates */
export function base64File(given: Uint8Array | string): JobFile {
  const content = typeof given === 'string' ? withoutBlanks(given) : Buffer.from(given).toString('base64')
  return { content, encoding: 'base64' }
}

function withoutBlanks(text: string): string {
  return text.replace(/[\r\n\t ]/g, '')
}
