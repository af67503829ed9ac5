import { type Difference, quoted } from './difference.ts'

/** Compares two multisets of elements. */
export function unorderedDifference(
  name: string,
  expected: Iterable<string>,
  actual: Iterable<string>,
): Difference {
  // Keys start with a letter, because V8 hashes integer keys in a way that an author can exploit.
  const open = new Map<string, number>()
  for (const piece of expected) open.set(`k${piece}`, (open.get(`k${piece}`) ?? 0) + 1)
  for (const piece of actual) {
    const left = open.get(`k${piece}`) ?? 0
    if (left === 0) return `${name} that was not expected, or not as often: ${quoted(piece)}`
    open.set(`k${piece}`, left - 1)
  }
  for (const [key, left] of open) if (left > 0) return `${name} that did not come: ${quoted(key.slice(1))}`
  return undefined
}
