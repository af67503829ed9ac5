import { canonicalDecimal } from './decimal.ts'
import { type Difference, diffTexts, quoted } from './difference.ts'
import { type JsonDocument, readJson } from './json-document.ts'

/** Maximum nesting of lists and objects. */
const MAX_DEPTH = 1_000
/** Maximum shown length of a path, and of one name in it, in characters. */
const MAX_SHOWN_PATH = 120
const MAX_SHOWN_NAME = 40

/** A list or object in both documents, while its members are compared. */
interface Pair {
  /** The remaining members: name or index, and the value in each document. */
  readonly members: Iterator<readonly [name: string, one: number, other: number]>
  /** Name of the member that is being compared. */
  name: string
}

/** Compares two documents by value: the order of members, white space and the notation of numbers do not count. */
export function jsonDifference(expected: string, actual: string): Difference {
  const wanted = readJson(expected)
  if (wanted === undefined) return `the expected output is not JSON: ${quoted(expected)}`
  const got = readJson(actual)
  if (got === undefined) return `the output is not JSON: ${quoted(actual)}`
  if (got.depth > MAX_DEPTH) return `the output has over ${MAX_DEPTH} levels`
  // No recursion, because documents can be nested deeply.
  const open: Pair[] = []
  const differs = (how: string) => `${pathOf(open)}: ${how}`
  for (let pair: readonly [number, number] | undefined = [0, 0]; pair !== undefined; pair = nextOf(open)) {
    const [one, other] = pair
    const [kind, otherKind] = [kindOf(wanted, one), kindOf(got, other)]
    if (kind !== otherKind || (kind !== '[' && kind !== '{')) {
      if (kind === otherKind && rawOf(wanted, one) === rawOf(got, other)) continue
      const [first, second] = [textOf(wanted, one), textOf(got, other)]
      if (first !== second) return differs(diffTexts(first, second))
      continue
    }
    const { problem, members } =
      kind === '[' ? listMembers(wanted, one, got, other) : objectMembers(wanted, one, got, other)
    if (problem !== undefined) return differs(problem)
    open.push({ members, name: '' })
  }
  return undefined
}

/** Why an expected document is invalid; undefined if it is valid. */
export function jsonProblem(expected: string): string | undefined {
  const document = readJson(expected)
  if (document === undefined) return `is not JSON: ${quoted(expected)}`
  return document.depth > MAX_DEPTH ? `must have at most ${MAX_DEPTH} levels` : undefined
}

/** Advances to the next pair of values. */
function nextOf(open: Pair[]): readonly [number, number] | undefined {
  for (let pair = open.at(-1); pair !== undefined; pair = open.at(-1)) {
    const { done, value } = pair.members.next()
    if (!done) {
      const [name, one, other] = value
      pair.name = name
      return [one, other]
    }
    open.pop()
  }
  return undefined
}

interface Members {
  readonly problem?: string | undefined
  readonly members: Pair['members']
}

function listMembers(wanted: JsonDocument, one: number, got: JsonDocument, other: number): Members {
  const [length, otherLength] = [lengthOf(wanted, one), lengthOf(got, other)]
  return {
    problem: missing(length > otherLength, otherLength) ?? extra(otherLength > length, length),
    members: (function* () {
      let [left, right] = [one + 1, other + 1]
      for (let index = 0; index < length; index++) {
        yield [String(index), left, right] as const
        left = after(wanted, left)
        right = after(got, right)
      }
    })(),
  }
}

function objectMembers(wanted: JsonDocument, one: number, got: JsonDocument, other: number): Members {
  const left = new Map<string, number>()
  for (const [name, value] of membersOf(wanted, one)) left.set(name, value)
  const right = new Map<string, number>()
  let added: string | undefined
  for (const [name, value] of membersOf(got, other)) {
    if (left.has(name)) right.set(name, value)
    else added ??= name
  }
  const lost = left.size === right.size ? undefined : firstWithout(left, right)
  return {
    problem: missing(lost !== undefined, plain(lost)) ?? extra(added !== undefined, plain(added)),
    members: (function* () {
      for (const [name, value] of left) yield [plain(name), value, right.get(name) ?? 0] as const
    })(),
  }
}

function firstWithout(names: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>) {
  for (const name of names.keys()) if (!others.has(name)) return name
  return undefined
}

function missing(is: boolean, name: string | number): string | undefined {
  return is ? `${quoted(String(name))} is missing` : undefined
}

function extra(is: boolean, name: string | number): string | undefined {
  return is ? `${quoted(String(name))} was not expected` : undefined
}

/**
 * Names and values of an object. Names keep their leading quote, because V8 hashes integer names in a way that an author can
 * exploit.
 */
function* membersOf(document: JsonDocument, object: number): Generator<readonly [string, number]> {
  const last = document.end(object)
  for (let name = object + 1; name < last; name = after(document, name + 1)) {
    const raw = rawOf(document, name)
    yield [raw.includes('\\') ? `"${stringOf(document, name)}` : raw.slice(0, -1), name + 1]
  }
}

function plain(name = ''): string {
  return name.slice(1)
}

function lengthOf(document: JsonDocument, list: number): number {
  let length = 0
  const last = document.end(list)
  for (let value = list + 1; value < last; value = after(document, value)) length++
  return length
}

/** The value after this one and all of its members. */
function after(document: JsonDocument, value: number): number {
  const kind = kindOf(document, value)
  return kind === '[' || kind === '{' ? document.end(value) : value + 1
}

/** The first character of a value. */
function kindOf({ text, start }: JsonDocument, value: number): string {
  return text[start(value)] ?? ''
}

/** A string, number or literal as written. */
function rawOf({ text, start, end }: JsonDocument, value: number): string {
  return text.slice(start(value), end(value))
}

/** The value of a string. */
function stringOf(document: JsonDocument, value: number): string {
  const raw = rawOf(document, value)
  return raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1)
}

/** A text that is equal for equal values. */
function textOf(document: JsonDocument, value: number): string {
  const kind = kindOf(document, value)
  if (kind === '[') return 'a list'
  if (kind === '{') return 'an object'
  if (kind === '"') return JSON.stringify(stringOf(document, value))
  const raw = rawOf(document, value)
  return kind === 't' || kind === 'f' || kind === 'n' ? raw : canonicalDecimal(raw)
}

/** Path of the current comparison: `$.a.0`. */
function pathOf(open: readonly Pair[]): string {
  let path = '$'
  for (const { name } of open) path = `${shortened(path)}.${name.slice(0, MAX_SHOWN_NAME)}`
  return path === '$' ? path : shortened(path)
}

function shortened(path: string): string {
  return path.length > MAX_SHOWN_PATH ? `…${path.slice(-100)}` : path
}
