import { distance } from 'fastest-levenshtein'

/** Longer names are no misspelt ones, and comparing takes time that grows with the square. */
const MAX_COMPARED = 64

/**
 * Finds the name that a misspelt one most likely means: the same but for case, "_" and "-", one that it begins, or the nearest
 * with at most a third of its characters wrong.
 *
 * @returns undefined if none is near
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_COMPARED) return undefined
  const wanted = plain(given)
  const same = known.find((name) => plain(name) === wanted)
  if (same !== undefined) return same
  const most = Math.floor(wanted.length / 3)
  const [nearest] = known
    .map((name) => ({ name, edits: distance(wanted, plain(name)) }))
    .filter(({ edits }) => edits <= most)
    .sort((one, other) => one.edits - other.edits)
  if (nearest !== undefined) return nearest.name
  return wanted.length < 3 ? undefined : known.find((name) => plain(name).startsWith(wanted))
}

/** How the sentence about an unknown name ends: with the name that was meant, or with all that there are. */
export function knownNames(given: string, known: readonly string[], what: string): string {
  const nearest = nearestName(given, known)
  return nearest === undefined ? `the ${what} are ${known.join(', ')}` : `did you mean "${nearest}"?`
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}
