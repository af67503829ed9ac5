/** Major, minor, patch, and the candidate's number; a release is later than every candidate for it. */
type Version = readonly [number, number, number, number]
const RELEASE = Number.POSITIVE_INFINITY

/** Ways out of a container through runc, and the first version of each line that is without them; later lines are, too. */
const ESCAPES: readonly { readonly ids: readonly string[]; readonly closedBy: readonly Version[] }[] = [
  // A leaked descriptor of the host's file system.
  { ids: ['CVE-2024-21626'], closedBy: [[1, 1, 12, RELEASE]] },
  // Masked paths, the console and /proc while a container starts.
  {
    ids: ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881'],
    closedBy: [
      [1, 2, 8, RELEASE],
      [1, 3, 3, RELEASE],
      [1, 4, 0, 3],
    ],
  },
]

/** What to do about an old runc. */
export const RUNC_ADVICE =
  'upgrade to 1.2.8, 1.3.3, 1.4.0 or later, unless your distribution has mended this one'

/**
 * The known escapes that a version of runc is open to, going by its number alone.
 *
 * @param version as runc or an engine tells it: `1.1.5+ds1`, `v1.3.0-rc.2`, `1.2.8-1`
 * @returns CVE ids, none for a version without; undefined if this is no version
 */
export function runcEscapes(version: string): readonly string[] | undefined {
  const given = parse(version)
  if (given === undefined) return undefined
  return ESCAPES.flatMap(({ ids, closedBy }) => (isClosed(given, closedBy) ? [] : ids))
}

function isClosed(given: Version, closedBy: readonly Version[]): boolean {
  const ownLine = closedBy.find(([major, minor]) => major === given[0] && minor === given[1])
  const from = ownLine ?? closedBy.at(-1)
  return from !== undefined && !isBefore(given, from)
}

function isBefore(one: Version, other: Version): boolean {
  const at = one.findIndex((number, index) => number !== other[index])
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
}

/** What follows the numbers is a candidate, or a distribution's own revision, which says nothing about the source. */
function parse(version: string): Version | undefined {
  const found = /^v?(\d+)\.(\d+)\.(\d+)(?:[-~.](?<candidate>rc|alpha|beta|dev)[.-]?(\d*))?/.exec(version)
  if (found === null) return undefined
  const [, major, minor, patch, , number] = found
  const candidate = found.groups?.['candidate'] === 'rc' ? Number(number) : 0
  return [Number(major), Number(minor), Number(patch), found.groups?.['candidate'] ? candidate : RELEASE]
}
