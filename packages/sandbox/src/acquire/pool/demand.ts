import type { PoolKind } from './pool-key.ts'

/** Time after which an ask counts half, in milliseconds: what was a flood a minute ago is to make room for what comes now. */
const HALF_LIFE_MS = 10_000
/** Kinds that are remembered: limits are the jobs' to choose, and there are many. */
const MAX_KINDS = 64

/** What is asked for of one poolKey, and which of its kinds the most. */
export interface PoolDemand {
  readonly poolKey: string
  readonly favourite: PoolKind
  /** Asks, each counting less the older it is. */
  readonly weight: number
}

interface Asked {
  readonly pooled: PoolKind
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
  note(pooled: PoolKind, now: number): void {
    const known = this.#asked.get(pooled.key)
    const weight = known ? weightAt(known, now) + 1 : 1
    this.#asked.set(pooled.key, { pooled, weight, at: now })
    if (this.#asked.size <= MAX_KINDS) return
    const [least] = [...this.#asked].sort(([, one], [, other]) => weightAt(one, now) - weightAt(other, now))
    if (least) this.#asked.delete(least[0])
  }

  /** All poolKeys that are asked for, the most wanted first. */
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
