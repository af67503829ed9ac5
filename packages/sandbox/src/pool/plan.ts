import type { ContainerKind } from '../container-kind.ts'
import type { FamilyDemand } from './demand.ts'
import type { Pooled } from './family.ts'
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
  readonly heldMb: (kind: ContainerKind) => number
}

/** What is to wait, by what is asked for. */
export class Plan {
  readonly #policy: PoolPolicy
  readonly #has: (family: string) => number
  readonly #shares: ReadonlyMap<string, { readonly share: number; readonly favourite: Pooled }>

  /** @param has how many containers of a family wait, or are about to */
  constructor(families: readonly FamilyDemand[], policy: PoolPolicy, has: (family: string) => number) {
    this.#policy = policy
    this.#has = has
    const claims = families.map(({ family, favourite, weight }) => ({
      weight,
      has: has(family),
      heldMb: policy.heldMb(favourite.kind),
    }))
    const given = shares(claims, policy.size, policy.memoryMb)
    this.#shares = new Map(
      families.map(({ family, favourite }, index) => [family, { share: given[index] ?? 0, favourite }]),
    )
  }

  get families(): ReadonlySet<string> {
    return new Set(this.#shares.keys())
  }

  /** What is missing most: of a family that has nothing before one that has some. */
  missing(rests: (family: string) => boolean): Pooled | undefined {
    const short = [...this.#shares].filter(
      ([family, { share }]) => this.#has(family) < share && !rests(family),
    )
    const [, most] = short.find(([family]) => this.#has(family) === 0) ?? short[0] ?? []
    return most?.favourite
  }

  /** Whether a family has more than its share. */
  isSurplus(family: string): boolean {
    return this.#has(family) > (this.#shares.get(family)?.share ?? 0)
  }

  /** Whether one more would be within size and memory. */
  hasRoom(there: readonly Pooled[], next: Pooled): boolean {
    const { size, memoryMb, heldMb } = this.#policy
    const held = [...there, next].reduce((sum, { kind }) => sum + heldMb(kind), 0)
    return there.length < size && held <= memoryMb
  }
}
