import { DEFAULT_LIMITS, limitNamesOf, pickLimits } from '@isopod/protocol'
import type { ContainerKind } from '../../driver/container-kind.ts'

/** A kind of containers in the pool, with its keys. */
export interface PoolKind {
  readonly kind: ContainerKind
  /** Equal for equal kinds. */
  readonly key: string
  /** Equal for kinds between which a running container can be changed. */
  readonly poolKey: string
}

/** JSON with sorted keys: equal for equal kinds, whatever fields they have, in whatever order. */
export function canonical(kind: object): string {
  return JSON.stringify(kind, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

/**
 * The kind of container that waits in the pool for requests of a kind.
 *
 * @param changeable whether memory, processors and processes can be changed later
 */
export function pooled(asked: ContainerKind, changeable: boolean): PoolKind {
  const kind = asked.preload === undefined ? withDefaultBounds(asked) : asked
  const key = canonical(kind)
  if (!changeable) return { kind, key, poolKey: key }
  const fixed = pickLimits(kind.limits, 'creation', 'process')
  // A lower memory limit could kill a started interpreter.
  const limits = kind.preload === undefined ? fixed : { ...fixed, memoryMb: kind.limits.memoryMb }
  return { kind, key, poolKey: canonical({ ...kind, limits }) }
}

/**
 * The limits of a process are only upper bounds, below which each run gets its own. Containers wait with the defaults or more,
 * which is enough for nearly every job. A started interpreter already has the limits of its run.
 */
function withDefaultBounds(asked: ContainerKind): ContainerKind {
  const bounds = limitNamesOf('process').map((name) => {
    return [name, Math.max(asked.limits[name], DEFAULT_LIMITS[name])]
  })
  return { ...asked, limits: { ...asked.limits, ...Object.fromEntries(bounds) } }
}
