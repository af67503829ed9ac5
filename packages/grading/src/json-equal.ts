import { canonicalDecimal } from './decimal.ts'
import { type Difference, parted, quoted } from './difference.ts'

/** An output with so many more values than were expected is not read: reading five million takes most of a minute. */
const MOST_MORE = 1_000_000
/** Levels of lists and objects in each other; numbers are read by functions that call each other for each level. */
const DEEPEST = 1_000

/** A number, which JavaScript would round. */
class Decimal {
  readonly text: string

  constructor(source: string) {
    this.text = canonicalDecimal(source)
  }
}

/** Compares two documents by what they mean: the order of members, white space and ways of writing a number do not count. */
export function jsonDifference(expected: string, actual: string): Difference {
  const wanted = parsed(expected)
  if (wanted === undefined) return `the expected output is no JSON: ${quoted(expected)}`
  const [sought, found] = [shapeOf(expected), shapeOf(actual)]
  if (found.values - sought.values > MOST_MORE) {
    return `the output has over ${MOST_MORE} values more than were expected`
  }
  if (found.depth > DEEPEST) return `the output has over ${DEEPEST} levels`
  const got = parsed(actual)
  if (got === undefined) return `the output is no JSON: ${quoted(actual)}`
  // No recursion: documents are as deep as their authors like.
  const open: { readonly path: string; readonly one: unknown; readonly other: unknown }[] = []
  open.push({ path: '$', one: wanted.value, other: got.value })
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const { path, one, other } = pair
    const [wantedKeys, gotKeys] = [keysOf(one), keysOf(other)]
    if (wantedKeys === undefined || gotKeys === undefined || Array.isArray(one) !== Array.isArray(other)) {
      const [first, second] = [textOf(one), textOf(other)]
      if (first !== second) return `${shortened(path)}: ${parted(first, second)}`
      continue
    }
    const missing = wantedKeys.find((key) => !Object.hasOwn(other as object, key))
    if (missing !== undefined) return `${shortened(path)}: ${quoted(missing)} is missing`
    const extra = gotKeys.find((key) => !Object.hasOwn(one as object, key))
    if (extra !== undefined) return `${shortened(path)}: ${quoted(extra)} was not expected`
    for (const key of wantedKeys.toReversed()) {
      const [inner, outer] = [one, other].map((each) => (each as Record<string, unknown>)[key])
      open.push({ path: `${shortened(path)}.${key.slice(0, 40)}`, one: inner, other: outer })
    }
  }
  return undefined
}

/** Why a text cannot be compared with as a document; undefined if it can. */
export function jsonProblem(expected: string): string | undefined {
  try {
    JSON.parse(expected)
    return shapeOf(expected).depth > DEEPEST ? `must have at most ${DEEPEST} levels` : undefined
  } catch {
    return `is no JSON: ${quoted(expected)}`
  }
}

/** How many values a document has, where empty lists and objects count for two, and how many levels. */
function shapeOf(text: string): { readonly values: number; readonly depth: number } {
  let values = 1
  let level = 0
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') inText = !inText
    else if (inText && character === '\\') at++
    else if (inText) continue
    else if (character === ',') values++
    else if (character === ']' || character === '}') level--
    else if (character === '[' || character === '{') {
      values++
      depth = Math.max(depth, ++level)
    }
  }
  return { values, depth }
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text, (_, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? new Decimal(context?.source ?? String(value)) : value,
    )
    return { value }
  } catch {
    return undefined
  }
}

/** Names of members, or places in a list; undefined for everything else. */
function keysOf(value: unknown): string[] | undefined {
  return typeof value === 'object' && value !== null && !(value instanceof Decimal)
    ? Object.keys(value)
    : undefined
}

function textOf(value: unknown): string {
  if (value instanceof Decimal) return value.text
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return JSON.stringify(value)
}

function shortened(path: string): string {
  return path.length > 120 ? `…${path.slice(-100)}` : path
}
