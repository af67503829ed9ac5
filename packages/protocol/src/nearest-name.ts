import { distance } from 'fastest-levenshtein'

/** Maximum length to compare: the time grows with the square, and longer names are not misspellings. */
const MAX_COMPARED = 64

/**
 * Finds the known name that a misspelt one most likely means: one that differs only in case, "_" and "-", the nearest with at
 * most a third of the characters wrong, or one that starts with it.
 *
 * @returns undefined if no name is near
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_COMPARED) return undefined
  const wanted = plain(given)
  const same = known.find((name) => plain(name) === wanted)
  if (same !== undefined) return same
  const maxEdits = Math.floor(wanted.length / 3)
  const [nearest] = known
    .map((name) => ({ name, edits: distance(wanted, plain(name)) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((one, other) => one.edits - other.edits)
  if (nearest !== undefined) return nearest.name
  return wanted.length < 3 ? undefined : known.find((name) => plain(name).startsWith(wanted))
}

/** End of a sentence about an unknown name: suggests the nearest known name, or lists all. */
export function knownNames(given: string, known: readonly string[], what: string): string {
  const nearest = nearestName(given, known)
  return nearest === undefined ? `the ${what} are ${known.join(', ')}` : `did you mean "${nearest}"?`
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}
