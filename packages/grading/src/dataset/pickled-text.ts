/** Opcodes of Python's pickle format that a pickled text consists of. */
const OPCODES = {
  proto: 0x80,
  frame: 0x95,
  shortText: 0x8c,
  text: 0x58,
  longText: 0x8d,
  memoize: 0x94,
  put: 0x71,
  longPut: 0x72,
  stop: 0x2e,
} as const

/**
 * Reads a pickle that contains one text and nothing else. Executes nothing: every other opcode is refused.
 *
 * @returns undefined if it is anything else
 * @see https://github.com/python/cpython/blob/main/Lib/pickletools.py
 */
export function pickledText(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let found: string | undefined
  let at = 0
  try {
    for (;;) {
      const opcode = view.getUint8(at++)
      if (opcode === OPCODES.stop) return at === bytes.length ? found : undefined
      const size = textSize(opcode, view, at)
      if (size !== undefined) {
        const from = at + size.header
        if (found !== undefined || from + size.bytes > bytes.length) return undefined
        found = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(from, from + size.bytes))
        at = from + size.bytes
        continue
      }
      const skipped = SKIPPED.get(opcode)
      if (skipped === undefined) return undefined
      at += skipped
    }
  } catch {
    // Ends early, or is not UTF-8.
    return undefined
  }
}

/** Opcodes without an effect on the value → length of their argument. */
const SKIPPED: ReadonlyMap<number, number> = new Map([
  [OPCODES.proto, 1],
  [OPCODES.frame, 8],
  [OPCODES.memoize, 0],
  [OPCODES.put, 1],
  [OPCODES.longPut, 4],
])

function textSize(opcode: number, view: DataView, at: number) {
  if (opcode === OPCODES.shortText) return { header: 1, bytes: view.getUint8(at) }
  if (opcode === OPCODES.text) return { header: 4, bytes: view.getUint32(at, true) }
  if (opcode === OPCODES.longText) return { header: 8, bytes: Number(view.getBigUint64(at, true)) }
  return undefined
}
