const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** Output bytes in the form of an event. */
export interface OutputText {
  /** Undecodable bytes are replaced by U+FFFD. */
  readonly text: string
  /** Base64 of the bytes, if they are not valid UTF-8. */
  readonly raw?: string
}

/** Decodes bytes that begin and end between characters. */
export function outputText(bytes: Uint8Array): OutputText {
  try {
    return { text: strict.decode(bytes) }
  } catch {
    return { text: lenient.decode(bytes), raw: Buffer.from(bytes).toString('base64') }
  }
}

/** Length of the bytes without an incomplete character at their end. */
export function wholeCharacters(bytes: Uint8Array): number {
  const { byteLength: end } = bytes
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = bytes[end - back] ?? 0
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    const length = byte >= 0xf8 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? end - back : end
  }
  return end
}
