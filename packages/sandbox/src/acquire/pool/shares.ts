/** The demand of one pool key for places, each of which is for one waiting container. */
export interface Claim {
  /** Number of requests, weighted by age. */
  readonly weight: number
  /** Number of places that it has now. */
  readonly has: number
  /** Memory per place, in MiB. */
  readonly footprintMb: number
}

/** Minimum weight for a guaranteed first place: that of a single request two half-lives ago. */
const RECENT = 0.25
/** Added to the worth of a guaranteed first place, so that it precedes all others. */
const FIRST = 1e9
/** Factor on the worth of a place that a claim already has: moving it would waste the work of making its container. */
const HOLDER_FACTOR = 1.5

/**
 * Shares places: first one for each claim with recent requests, then each further place to the claim for which it is worth
 * most, while there is memory. No claim gets more places than it has requests.
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

/** Worth of the next place to a claim that already gets `given` places. */
function worthOf({ weight, has }: Claim, given: number): number {
  if (given >= Math.ceil(weight)) return 0
  const worth = (weight / (given + 0.5)) * (given < has ? HOLDER_FACTOR : 1)
  return given === 0 && weight >= RECENT ? FIRST + worth : worth
}
