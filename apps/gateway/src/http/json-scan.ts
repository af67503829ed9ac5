const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const LIST = 0x5b
const OBJECT = 0x7b
const CLOSING = new Set([0x5d, 0x7d])

/** A finding that a parser would not report: too many levels, or a duplicate name in an object. */
export type JsonFinding =
  | { readonly problem: 'too_deep' }
  | { readonly problem: 'duplicate'; readonly field: string }

/** An open object or list. */
interface Level {
  /** Names of the object so far; undefined for a list. */
  readonly names: Set<string> | undefined
  /** Position of the scan in it: a name, or an index. */
  at: string | number
}

/**
 * Scans JSON before it is parsed. Of duplicate names some parsers keep the first value and others the last, so one
 * component could check a value that another does not use. The finding may be wrong for text that is not JSON, which the
 * parser refuses.
 */
export function scanJson(bytes: Buffer, maxDepth: number): JsonFinding | undefined {
  const levels: Level[] = []
  let level: Level | undefined
  let text: readonly [start: number, end: number] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      const start = at
      at = endOfText(bytes, at)
      text = [start, at + 1]
    } else if (byte === COLON && level?.names !== undefined) {
      level.at = nameOf(bytes.subarray(...text))
      if (level.names.has(level.at)) return { problem: 'duplicate', field: pathOf(levels) }
      level.names.add(level.at)
    } else if (byte === COMMA && typeof level?.at === 'number') {
      level.at += 1
    } else if (byte === LIST || byte === OBJECT) {
      level = byte === LIST ? { names: undefined, at: 0 } : { names: new Set(), at: '' }
      levels.push(level)
      if (levels.length > maxDepth) return { problem: 'too_deep' }
    } else if (CLOSING.has(byte)) {
      levels.pop()
      level = levels.at(-1)
    }
  }
  return undefined
}

/** Index of the closing quote of the string that starts at `start`. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++
    else if (bytes[at] === QUOTE) return at
  }
  return bytes.length
}

function nameOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  // Two spellings of a name, with and without escapes, are the same name.
  if (!text.includes('\\')) return text.slice(1, -1)
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

/** `limits.memoryMb`, `jobs[3].code`. */
function pathOf(levels: readonly Level[]): string {
  return levels.reduce((path, { at }) => {
    if (typeof at === 'number') return `${path}[${at}]`
    return path === '' ? at : `${path}.${at}`
  }, '')
}
