import type { ContainerKind } from '../../driver/container-kind.ts'
import type { PoolDemand } from './demand.ts'
import type { PoolKind } from './pool-key.ts'
import { shares } from './shares.ts'

/** How much may wait, and how long. */
export interface PoolPolicy {
  /** Most waiting containers, whatever their kinds. */
  readonly size: number
  /** How many are made ahead at once. */
  readonly refills: number
  /** After that long a waiting container is removed, in milliseconds. */
  readonly idleMs: number
  /** What all that wait may hold of the host's memory together. */
  readonly memoryMb: number
  /** What one of a kind holds while it waits, in MiB. */
  readonly footprintMb: (kind: ContainerKind) => number
}

/** What is to wait, by what is asked for. */
export class Plan {
  readonly #policy: PoolPolicy
  readonly #has: (poolKey: string) => number
  readonly #shares: ReadonlyMap<string, { readonly share: number; readonly favourite: PoolKind }>

  /** @param has how many containers of a poolKey wait, or are about to */
  constructor(poolKeys: readonly PoolDemand[], policy: PoolPolicy, has: (poolKey: string) => number) {
    this.#policy = policy
    this.#has = has
    const claims = poolKeys.map(({ poolKey, favourite, weight }) => ({
      weight,
      has: has(poolKey),
      footprintMb: policy.footprintMb(favourite.kind),
    }))
    const given = shares(claims, policy.size, policy.memoryMb)
    this.#shares = new Map(
      poolKeys.map(({ poolKey, favourite }, index) => [poolKey, { share: given[index] ?? 0, favourite }]),
    )
  }

  get poolKeys(): ReadonlySet<string> {
    return new Set(this.#shares.keys())
  }

  /** What is missing most: of a poolKey that has nothing before one that has some. */
  missing(rests: (poolKey: string) => boolean): PoolKind | undefined {
    const short = [...this.#shares].filter(
      ([poolKey, { share }]) => this.#has(poolKey) < share && !rests(poolKey),
    )
    const [, most] = short.find(([poolKey]) => this.#has(poolKey) === 0) ?? short[0] ?? []
    return most?.favourite
  }

  /** Whether a poolKey has more than its share. */
  isSurplus(poolKey: string): boolean {
    return this.#has(poolKey) > (this.#shares.get(poolKey)?.share ?? 0)
  }

  /** Whether one more would be within size and memory. */
  hasRoom(there: readonly PoolKind[], next: PoolKind): boolean {
    const { size, memoryMb, footprintMb } = this.#policy
    const held = [...there, next].reduce((sum, { kind }) => sum + footprintMb(kind), 0)
    return there.length < size && held <= memoryMb
  }
}
