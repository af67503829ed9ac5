import type { PoolKind } from './pool-key.ts'

/** Time after which a request counts half, in milliseconds: a flood of a minute ago makes room for what comes now. */
const HALF_LIFE_MS = 10_000
/** Most kinds that are remembered: jobs choose their limits, so there are many. */
const MAX_KINDS = 64

/** Demand for one pool key, and the kind of it that is asked for most. */
export interface PoolDemand {
  readonly poolKey: string
  readonly favourite: PoolKind
  /** Number of requests, each counting less the older it is. */
  readonly weight: number
}

interface Asked {
  readonly pooled: PoolKind
  weight: number
  /** Time of the last request in milliseconds, which the weight refers to. */
  at: number
}

/** Remembers which kinds jobs ask for, and forgets old requests. */
export class Demand {
  readonly #asked = new Map<string, Asked>()
  readonly #memoryMs: number

  /** @param memoryMs a kind that no job asked for in this time is forgotten */
  constructor(memoryMs: number) {
    this.#memoryMs = memoryMs
  }

  /** Records one request. */
  note(pooled: PoolKind, now: number): void {
    const known = this.#asked.get(pooled.key)
    const weight = known ? weightAt(known, now) + 1 : 1
    this.#asked.set(pooled.key, { pooled, weight, at: now })
    if (this.#asked.size <= MAX_KINDS) return
    const [least] = [...this.#asked].sort(([, one], [, other]) => weightAt(one, now) - weightAt(other, now))
    if (least) this.#asked.delete(least[0])
  }

  /** All pool keys that are asked for, the most wanted first. */
  poolKeys(now: number): PoolDemand[] {
    const found = new Map<string, { favourite: PoolKind; most: number; weight: number }>()
    for (const [key, asked] of this.#asked) {
      if (now - asked.at >= this.#memoryMs) {
        this.#asked.delete(key)
        continue
      }
      const own = weightAt(asked, now)
      const known = found.get(asked.pooled.poolKey)
      const { favourite, most } = known && known.most >= own ? known : { favourite: asked.pooled, most: own }
      found.set(asked.pooled.poolKey, { favourite, most, weight: own + (known?.weight ?? 0) })
    }
    return [...found]
      .map(([poolKey, { favourite, weight }]) => ({ poolKey, favourite, weight }))
      .sort((one, other) => other.weight - one.weight)
  }
}

function weightAt({ weight, at }: Asked, now: number): number {
  return weight * 2 ** -((now - at) / HALF_LIFE_MS)
}
