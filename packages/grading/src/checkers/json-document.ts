/** Initial capacity, in values. */
const INITIAL_CAPACITY = 256
/** A number at `lastIndex`. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y

const TAB = 9
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const QUOTE = 34
const COMMA = 44
const COLON = 58
const LIST = 91
const BACKSLASH = 92
const LIST_END = 93
const OBJECT = 123
const OBJECT_END = 125

/**
 * A JSON document as a table of its values, in the order of the text; the name of a member precedes its value. Reading takes
 * linear time and memory; `JSON.parse` takes most of a minute for ten megabytes of hostile names.
 */
export interface JsonDocument {
  readonly text: string
  /** Nesting depth of lists and objects. */
  readonly depth: number
  /** Offset of the start of a value. */
  start(value: number): number
  /** For a list or object, the first value after all of its members; otherwise the offset of the end. */
  end(value: number): number
}

/** Parses the same texts as `JSON.parse`; undefined for invalid ones. */
export function readJson(text: string): JsonDocument | undefined {
  let rows = new Int32Array(2 * INITIAL_CAPACITY)
  let count = 0
  /** Rows of the open lists and objects. */
  const open: number[] = []
  let depth = 0
  let at = 0
  /** What must follow. */
  let next: 'value' | 'value or end' | 'name' | 'name or end' | 'more' = 'value'

  for (;;) {
    at = skipSpace(text, at)
    const character = text.charCodeAt(at)
    if (next === 'more') {
      const container = open.at(-1)
      if (container === undefined) return at === text.length ? document() : undefined
      const isList = text.charCodeAt(rows[2 * container] ?? 0) === LIST
      if (character === COMMA) next = isList ? 'value' : 'name'
      else if (character === (isList ? LIST_END : OBJECT_END)) close()
      else return undefined
      at++
    } else if (next === 'name' || next === 'name or end') {
      if (character === OBJECT_END && next === 'name or end') {
        close()
        at++
        continue
      }
      const end = character === QUOTE ? endOfString(text, at) : undefined
      if (end === undefined) return undefined
      add(at, end)
      at = skipSpace(text, end)
      if (text.charCodeAt(at) !== COLON) return undefined
      at++
      next = 'value'
    } else if (character === LIST_END && next === 'value or end') {
      close()
      at++
    } else if (character === LIST || character === OBJECT) {
      open.push(count)
      depth = Math.max(depth, open.length)
      add(at, 0)
      at++
      next = character === LIST ? 'value or end' : 'name or end'
    } else {
      const end = endOfScalar(text, at, character)
      if (end === undefined) return undefined
      add(at, end)
      at = end
      next = 'more'
    }
  }

  function add(start: number, end: number): void {
    if (2 * count === rows.length) {
      const more = new Int32Array(2 * rows.length)
      more.set(rows)
      rows = more
    }
    rows[2 * count] = start
    rows[2 * count + 1] = end
    count++
  }

  function close(): void {
    const container = open.pop() ?? 0
    rows[2 * container + 1] = count
    next = 'more'
  }

  function document(): JsonDocument {
    return {
      text,
      depth,
      start: (value) => rows[2 * value] ?? 0,
      end: (value) => rows[2 * value + 1] ?? 0,
    }
  }
}

function skipSpace(text: string, from: number): number {
  for (let at = from; ; at++) {
    const character = text.charCodeAt(at)
    if (character !== SPACE && character !== LINE_FEED && character !== CARRIAGE_RETURN && character !== TAB)
      return at
  }
}

function endOfScalar(text: string, at: number, character: number): number | undefined {
  if (character === QUOTE) return endOfString(text, at)
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, at)) return at + word.length
  NUMBER.lastIndex = at
  return NUMBER.test(text) ? NUMBER.lastIndex : undefined
}

function endOfString(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) return at + 1
    if (character < SPACE) return undefined
    if (character !== BACKSLASH) continue
    ESCAPE.lastIndex = at
    if (!ESCAPE.test(text)) return undefined
    at = ESCAPE.lastIndex - 1
  }
  return undefined
}
