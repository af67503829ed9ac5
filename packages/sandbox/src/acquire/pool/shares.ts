/** What one claimant asks for. */
export interface Claim {
  /** Number of requests for it, each counting less the older it is. */
  readonly weight: number
  /** Places that it has now. */
  readonly has: number
  /** Memory of the host that one place takes, in MiB. */
  readonly footprintMb: number
}

/** Weight from which a first place precedes all second ones: that of a single request two half-lives ago. */
const OF_LATE = 0.25
/** More than the worth of any other place. */
const FIRST = 1e9
/** Factor by which another claimant's worth must exceed that of a place's holder: replacing a container wastes its making. */
const KEPT = 1.5

/**
 * Shares places: first one for each claimant with recent requests, then each further place to the claimant for which it is
 * worth most, while there is memory. No claimant gets more places than it has requests.
 *
 * @returns as many numbers as claims, in their order; together at most `places`, and no more memory than `memoryMb`
 */
export function sharePlaces(claims: readonly Claim[], places: number, memoryMb: number): number[] {
  const given = claims.map(() => 0)
  let free = memoryMb
  for (let left = places; left > 0; left--) {
    let best: { readonly index: number; readonly footprintMb: number } | undefined
    let highest = 0
    for (const [index, claim] of claims.entries()) {
      const worth = worthOf(claim, given[index] ?? 0)
      if (worth <= highest || claim.footprintMb > free) continue
      best = { index, footprintMb: claim.footprintMb }
      highest = worth
    }
    if (best === undefined) break
    given[best.index] = (given[best.index] ?? 0) + 1
    free -= best.footprintMb
  }
  return given
}

/** Worth of the next place to a claimant that was given so many. */
function worthOf({ weight, has }: Claim, given: number): number {
  if (given >= Math.ceil(weight)) return 0
  const worth = (weight / (given + 0.5)) * (given < has ? KEPT : 1)
  return given === 0 && weight >= OF_LATE ? FIRST + worth : worth
}
