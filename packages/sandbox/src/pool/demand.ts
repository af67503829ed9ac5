import type { Pooled } from './family.ts'

/** Time after which an ask counts half, in milliseconds. */
const HALF_LIFE_MS = 60_000
/** Kinds that are remembered: limits are the jobs' to choose, and there are many. */
const MOST_KINDS = 64

/** What is asked for of one family, and which of its kinds the most. */
export interface FamilyDemand {
  readonly family: string
  readonly favourite: Pooled
  /** Asks, each counting less the older it is. */
  readonly weight: number
}

interface Asked {
  readonly pooled: Pooled
  weight: number
  /** When it was asked for last, in milliseconds; the weight is of that time. */
  at: number
}

/** Remembers which kinds are asked for, and forgets. */
export class Demand {
  readonly #asked = new Map<string, Asked>()
  readonly #memoryMs: number

  /** @param memoryMs a kind that nobody asked for as long is forgotten */
  constructor(memoryMs: number) {
    this.#memoryMs = memoryMs
  }

  /** One container of this kind was asked for. */
  note(pooled: Pooled, now: number): void {
    const known = this.#asked.get(pooled.key)
    const weight = known ? weightAt(known, now) + 1 : 1
    this.#asked.set(pooled.key, { pooled, weight, at: now })
    if (this.#asked.size <= MOST_KINDS) return
    const [least] = [...this.#asked].sort(([, one], [, other]) => weightAt(one, now) - weightAt(other, now))
    if (least) this.#asked.delete(least[0])
  }

  /** All families that are asked for, the most wanted first. */
  families(now: number): FamilyDemand[] {
    const found = new Map<string, { favourite: Pooled; most: number; weight: number }>()
    for (const [key, asked] of this.#asked) {
      if (now - asked.at >= this.#memoryMs) {
        this.#asked.delete(key)
        continue
      }
      const own = weightAt(asked, now)
      const known = found.get(asked.pooled.family)
      const { favourite, most } = known && known.most >= own ? known : { favourite: asked.pooled, most: own }
      found.set(asked.pooled.family, { favourite, most, weight: own + (known?.weight ?? 0) })
    }
    return [...found]
      .map(([family, { favourite, weight }]) => ({ family, favourite, weight }))
      .sort((one, other) => other.weight - one.weight)
  }
}

/**
 * Shares places among weights: each place goes to whom it is worth most, and nobody gets more than were asked for of late.
 *
 * @returns as many numbers as weights, in their order; together at most `places`
 */
export function shares(weights: readonly number[], places: number): number[] {
  const given = weights.map(() => 0)
  for (let left = places; left > 0; left--) {
    let best = -1
    let worth = 0
    for (const [index, weight] of weights.entries()) {
      const has = given[index] ?? 0
      const next = weight / (has + 0.5)
      if (has < Math.ceil(weight) && next > worth) {
        best = index
        worth = next
      }
    }
    if (best < 0) break
    given[best] = (given[best] ?? 0) + 1
  }
  return given
}

function weightAt({ weight, at }: Asked, now: number): number {
  return weight * 2 ** -((now - at) / HALF_LIFE_MS)
}
