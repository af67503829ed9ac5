/** The difference between output and expectation, in one short sentence; undefined if there is none. */
export type Difference = string | undefined

/** Maximum length of each quote in a difference, in characters. */
const MAX_QUOTE = 80
/** Number of characters shown before the first difference. */
const BEFORE = 20

/**
 * Compares two sequences of elements.
 *
 * @param name name of an element in the sentence, for example `line`
 * @param same whether an actual element matches an expected one
 */
export function firstDifference(
  name: string,
  expected: Iterable<string>,
  actual: Iterable<string>,
  same: (expected: string, actual: string) => boolean = (one, other) => one === other,
): Difference {
  const wanted = expected[Symbol.iterator]()
  const got = actual[Symbol.iterator]()
  for (let number = 1; ; number++) {
    const [one, other] = [wanted.next(), got.next()]
    if (one.done && other.done) return undefined
    if (one.done) return `${name} ${number}: expected no more, got ${quoted(other.value)}`
    if (other.done) return `${name} ${number}: expected ${quoted(one.value)}, got no more`
    if (!same(one.value, other.value)) return `${name} ${number}: ${diffTexts(one.value, other.value)}`
  }
}

/** Describes how two texts differ, from shortly before the first difference. */
export function diffTexts(expected: string, actual: string): string {
  const from = Math.max(0, commonStart(expected, actual) - BEFORE)
  return `expected ${quoted(expected, from)}, got ${quoted(actual, from)}`
}

/** A text for a message: escaped, and cut around the start. */
export function quoted(text: string, from = 0): string {
  const start = from > 0 ? '…' : ''
  const end = text.length > from + MAX_QUOTE ? '…' : ''
  return `${start}${JSON.stringify(text.slice(from, from + MAX_QUOTE))}${end}`
}

function commonStart(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let at = 0
  while (at < shorter && one[at] === other[at]) at++
  return at
}
