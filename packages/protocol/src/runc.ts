/** Major, minor, patch, and the number of the release candidate; a release is later than all of its candidates. */
type Version = readonly [number, number, number, number]
const RELEASE = Number.POSITIVE_INFINITY

/** Known escapes through runc, and the first fixed version of each release line; later lines are fixed too. */
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

/** Advice for an old runc. */
export const RUNC_ADVICE =
  'upgrade to 1.2.8, 1.3.3, 1.4.0 or later, unless your distribution has patched this one'

/**
 * Known escapes of a version of runc, judged by its number alone.
 *
 * @param version as runc or an engine reports it: `1.1.5+ds1`, `v1.3.0-rc.2`, `1.2.8-1`
 * @returns CVE ids, empty if there are none; undefined if this is not a version
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

/** The suffix is a release candidate, or a distribution's revision, which does not describe the source. */
function parse(version: string): Version | undefined {
  const found = /^v?(\d+)\.(\d+)\.(\d+)(?:[-~.](?<candidate>rc|alpha|beta|dev)[.-]?(\d*))?/.exec(version)
  if (found === null) return undefined
  const [, major, minor, patch, , number] = found
  const candidate = found.groups?.['candidate'] === 'rc' ? Number(number) : 0
  return [Number(major), Number(minor), Number(patch), found.groups?.['candidate'] ? candidate : RELEASE]
}
