import { isUtf8 } from 'node:buffer'

/** Judge0 breaks its lines after so many characters, and ends the last one. */
const LINE = /.{1,60}/g
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Base64 as Judge0 writes it: in lines. */
export function encodeLines(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(LINE, '$&\n')
}

/** The bytes that were sent in base64, with or without line breaks; undefined if it is none. */
export function decodeBytes(text: string): Buffer | undefined {
  const plain = text.replace(/[\r\n\t ]/g, '')
  return BASE64.test(plain) ? Buffer.from(plain, 'base64') : undefined
}

/** The same as text; undefined also if it is no UTF-8. */
export function decodeText(text: string): string | undefined {
  const bytes = decodeBytes(text)
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
