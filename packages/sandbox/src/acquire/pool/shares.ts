/** What one of several asks for. */
export interface Claim {
  /** How much it is asked for: asks, each counting less the older it is. */
  readonly weight: number
  /** Places that it has now. */
  readonly has: number
  /** What one place takes of the host, in MiB. */
  readonly footprintMb: number
}

/** Weight from which a first place comes before all second ones: that of a single ask two half-lives ago. */
const OF_LATE = 0.25
/** More than any place is worth. */
const FIRST = 1e9
/** What somebody else's weight has to be, as a multiple, to get a place that is taken: a container that goes was made in vain. */
const KEPT = 1.5

/**
 * Shares places: a first one for each that was asked for of late, then each further one to whom it is worth most, as long as
 * there is memory for it. Nobody gets more than were asked for.
 *
 * @returns as many numbers as claims, in their order; together at most `places`, and no more memory than `memoryMb`
 */
export function shares(claims: readonly Claim[], places: number, memoryMb: number): number[] {
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

/** What the next place is worth to one that was given so many. */
function worthOf({ weight, has }: Claim, given: number): number {
  if (given >= Math.ceil(weight)) return 0
  const worth = (weight / (given + 0.5)) * (given < has ? KEPT : 1)
  return given === 0 && weight >= OF_LATE ? FIRST + worth : worth
}
