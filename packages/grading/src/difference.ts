/** Where output and expectation part, in one bounded sentence; undefined where they agree. */
export type Difference = string | undefined

/** Characters of either side that a difference shows. */
const SHOWN = 80
/** Characters before the first one that differs. */
const BEFORE = 20

/**
 * Compares two sequences, piece by piece.
 *
 * @param name what a piece is called: `line`
 * @param same whether an actual piece will do for an expected one
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
    if (!same(one.value, other.value)) return `${name} ${number}: ${parted(one.value, other.value)}`
  }
}

/** Says how two texts part, from shortly before the place. */
export function parted(expected: string, actual: string): string {
  const from = Math.max(0, commonStart(expected, actual) - BEFORE)
  return `expected ${quoted(expected, from)}, got ${quoted(actual, from)}`
}

/** A text as it can stand in a message: escaped, and cut to what is of interest. */
export function quoted(text: string, from = 0): string {
  const start = from > 0 ? '…' : ''
  const end = text.length > from + SHOWN ? '…' : ''
  return `${start}${JSON.stringify(text.slice(from, from + SHOWN))}${end}`
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one[at] === other[at]) at++
  return at
}
