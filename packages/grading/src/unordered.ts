import { type Difference, quoted } from './difference.ts'

/** Compares two bags of pieces: the same ones, each as often, in whatever order. */
export function unorderedDifference(
  name: string,
  expected: Iterable<string>,
  actual: Iterable<string>,
): Difference {
  const open = new Map<string, number>()
  for (const piece of expected) open.set(piece, (open.get(piece) ?? 0) + 1)
  for (const piece of actual) {
    const left = open.get(piece) ?? 0
    if (left === 0) return `${name} that was not expected, or not as often: ${quoted(piece)}`
    open.set(piece, left - 1)
  }
  for (const [piece, left] of open) if (left > 0) return `${name} that did not come: ${quoted(piece)}`
  return undefined
}
