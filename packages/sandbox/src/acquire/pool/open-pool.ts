import { isGvisor } from '@isopod/protocol'
import type { ContainerKind } from '../../driver/container-kind.ts'
import type { SandboxEvent } from '../../driver/sandbox-events.ts'
import type { ContainerMaker } from '../container-maker.ts'
import type { FreshContainers } from '../fresh-containers.ts'
import { interpreterMb } from '../preload-plan.ts'
import { ContainerPool } from './container-pool.ts'
import type { PoolPolicy } from './plan.ts'
import { PooledContainers } from './pooled-containers.ts'

/** How many containers wait for a job, and for how long. */
export interface PoolSettings extends Omit<PoolPolicy, 'size' | 'footprintMb'> {
  /** Maximum number of waiting containers; 0 for none. @default two per core of the engine's host */
  readonly size?: number | undefined
}

/** Memory of its host that a waiting container takes, in MiB: mostly processes of the engine beside it. */
const FOOTPRINT_MB = 16

/** What a pool needs from its sandbox. */
export interface PoolParts {
  readonly maker: ContainerMaker
  /** Makes the containers that the pool does not have. */
  readonly fresh: FreshContainers
  /** Runtime of a kind that names none. */
  readonly runtime: string
  /** Cores of the engine's host. */
  readonly cpus: number
  readonly observe: (event: SandboxEvent) => void
}

/** Opens a pool and the source that takes from it; undefined if its size is 0. */
export function openPool(
  settings: PoolSettings | undefined,
  { maker, fresh, runtime, cpus, observe }: PoolParts,
): { readonly pool: ContainerPool; readonly source: PooledContainers } | undefined {
  const size = settings && (settings.size ?? 2 * cpus)
  if (!size) return undefined
  const pool = new ContainerPool({
    maker,
    policy: { ...settings, size, footprintMb },
    onRefillFailed: ({ image }, error) => observe({ type: 'refill_failed', image, error }),
  })
  const source = new PooledContainers({
    pool,
    fresh,
    // gVisor keeps the limits of memory and processes that it started with.
    changeable: (kind) => !isGvisor(kind.runtime ?? runtime),
    onAsked: ({ image }, outcome) => observe({ type: 'pool', image, outcome }),
  })
  return { pool, source }
}

function footprintMb({ preload }: ContainerKind): number {
  return preload === undefined ? FOOTPRINT_MB : FOOTPRINT_MB + interpreterMb(preload.modules)
}
