import type { ContainerKind } from '../../driver/container-kind.ts'
import type { PoolDemand } from './demand.ts'
import type { PoolKind } from './pool-key.ts'
import { sharePlaces } from './shares.ts'

/** Bounds on the containers of the pool. */
export interface PoolPolicy {
  /** Maximum number of waiting containers of all kinds together. */
  readonly size: number
  /** Maximum number of containers that are made ahead at the same time. */
  readonly refills: number
  /** Age at which a waiting container is removed, in milliseconds. */
  readonly idleMs: number
  /** Maximum memory of all waiting containers together, in MiB. */
  readonly memoryMb: number
  /** Returns the memory of a waiting container of a kind, in MiB. */
  readonly footprintMb: (kind: ContainerKind) => number
}

/** Decides which containers wait, from the demand. */
export class Plan {
  readonly #policy: PoolPolicy
  readonly #has: (poolKey: string) => number
  readonly #shares: ReadonlyMap<string, { readonly share: number; readonly mostRequested: PoolKind }>

  /** @param has number of containers with a pool key that wait or are being made */
  constructor(poolKeys: readonly PoolDemand[], policy: PoolPolicy, has: (poolKey: string) => number) {
    this.#policy = policy
    this.#has = has
    const claims = poolKeys.map(({ poolKey, mostRequested, weight }) => ({
      weight,
      has: has(poolKey),
      footprintMb: policy.footprintMb(mostRequested.kind),
    }))
    const given = sharePlaces(claims, policy.size, policy.memoryMb)
    this.#shares = new Map(
      poolKeys.map(({ poolKey, mostRequested }, index) => [
        poolKey,
        { share: given[index] ?? 0, mostRequested },
      ]),
    )
  }

  get poolKeys(): ReadonlySet<string> {
    return new Set(this.#shares.keys())
  }

  /**
   * The kind to make next: pool keys that have no container come first.
   *
   * @param isPaused whether a pool key must wait after a failure
   */
  missing(isPaused: (poolKey: string) => boolean): PoolKind | undefined {
    const short = [...this.#shares].filter(
      ([poolKey, { share }]) => this.#has(poolKey) < share && !isPaused(poolKey),
    )
    const [, next] = short.find(([poolKey]) => this.#has(poolKey) === 0) ?? short[0] ?? []
    return next?.mostRequested
  }

  /** Whether a pool key has more containers than its share. */
  isSurplus(poolKey: string): boolean {
    return this.#has(poolKey) > (this.#shares.get(poolKey)?.share ?? 0)
  }

  /** Whether one more container fits into size and memory. */
  hasRoom(waiting: readonly PoolKind[], next: PoolKind): boolean {
    const { size, memoryMb, footprintMb } = this.#policy
    const usedMb = [...waiting, next].reduce((sum, { kind }) => sum + footprintMb(kind), 0)
    return waiting.length < size && usedMb <= memoryMb
  }
}
