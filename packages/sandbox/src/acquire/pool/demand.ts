import type { PoolKind } from './pool-key.ts'

/** Time after which a request counts half, in milliseconds, so that new requests soon outweigh an earlier burst. */
const HALF_LIFE_MS = 10_000
/** Maximum number of remembered kinds; jobs choose their limits, so there can be any number of kinds. */
const MAX_KINDS = 64

/** Demand for one pool key, and its most requested kind. */
export interface PoolDemand {
  readonly poolKey: string
  readonly mostRequested: PoolKind
  /** Number of requests, each counting less the older it is. */
  readonly weight: number
}

interface Requests {
  readonly pooled: PoolKind
  weight: number
  /** Time of the last request in milliseconds, which the weight refers to. */
  at: number
}

/** Remembers which kinds jobs ask for, and forgets old requests. */
export class Demand {
  readonly #asked = new Map<string, Requests>()
  readonly #memoryMs: number

  /** @param memoryMs time without a request after which a kind is forgotten */
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

  /** All requested pool keys, the most requested first. */
  poolKeys(now: number): PoolDemand[] {
    const found = new Map<string, { mostRequested: PoolKind; maxWeight: number; weight: number }>()
    for (const [key, asked] of this.#asked) {
      if (now - asked.at >= this.#memoryMs) {
        this.#asked.delete(key)
        continue
      }
      const own = weightAt(asked, now)
      const known = found.get(asked.pooled.poolKey)
      const { mostRequested, maxWeight } =
        known && known.maxWeight >= own ? known : { mostRequested: asked.pooled, maxWeight: own }
      found.set(asked.pooled.poolKey, { mostRequested, maxWeight, weight: own + (known?.weight ?? 0) })
    }
    return [...found]
      .map(([poolKey, { mostRequested, weight }]) => ({ poolKey, mostRequested, weight }))
      .sort((one, other) => other.weight - one.weight)
  }
}

function weightAt({ weight, at }: Requests, now: number): number {
  return weight * 2 ** -((now - at) / HALF_LIFE_MS)
}
