import type { ContainerKind } from '../container-kind.ts'
import { type FamilyDemand, shares } from './demand.ts'
import type { Pooled } from './family.ts'

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
  readonly heldMb: (kind: ContainerKind) => number
}

/** What is to wait, by what is asked for. */
export class Plan {
  readonly #policy: PoolPolicy
  readonly #shares: ReadonlyMap<string, { readonly share: number; readonly favourite: Pooled }>

  constructor(families: readonly FamilyDemand[], policy: PoolPolicy) {
    this.#policy = policy
    const dearest = Math.max(1, ...families.map(({ favourite }) => policy.heldMb(favourite.kind)))
    const places = Math.min(policy.size, Math.floor(policy.memoryMb / dearest))
    const weights = families.map(({ weight }) => weight)
    const given = shares(weights, places)
    this.#shares = new Map(
      families.map(({ family, favourite }, index) => [family, { share: given[index] ?? 0, favourite }]),
    )
  }

  get families(): ReadonlySet<string> {
    return new Set(this.#shares.keys())
  }

  /** What is missing most: of a family that has nothing before one that has some. */
  missing(has: (family: string) => number, rests: (family: string) => boolean): Pooled | undefined {
    const short = [...this.#shares].filter(([family, { share }]) => has(family) < share && !rests(family))
    const [, most] = short.find(([family]) => has(family) === 0) ?? short[0] ?? []
    return most?.favourite
  }

  /** Whether a family has more than its share. */
  isSurplus(family: string, has: number): boolean {
    return has > (this.#shares.get(family)?.share ?? 0)
  }

  /** Whether one more would be within size and memory. */
  hasRoom(there: readonly Pooled[], next: Pooled): boolean {
    const { size, memoryMb, heldMb } = this.#policy
    const held = [...there, next].reduce((sum, { kind }) => sum + heldMb(kind), 0)
    return there.length < size && held <= memoryMb
  }
}
