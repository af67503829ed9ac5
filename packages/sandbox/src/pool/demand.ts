import type { Pooled } from './family.ts'

/** Time after which an ask counts half, in milliseconds: what was a flood a minute ago is to make room for what comes now. */
const HALF_LIFE_MS = 10_000
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

function weightAt({ weight, at }: Asked, now: number): number {
  return weight * 2 ** -((now - at) / HALF_LIFE_MS)
}
