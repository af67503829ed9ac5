import { DEFAULT_LIMITS } from '@isopod/protocol'
import type { ContainerKind } from '../../driver/container-kind.ts'

/** A kind as containers of it wait, and the texts by which it is compared. */
export interface PoolKind {
  readonly kind: ContainerKind
  /** The same for kinds that are the same. */
  readonly key: string
  /** The same for kinds of which one can be made of the other while the container runs. */
  readonly poolKey: string
}

/** Text that is the same for kinds that are the same, whatever fields kinds come to have, in whatever order. */
export function canonical(kind: object): string {
  return JSON.stringify(kind, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

/**
 * How containers for a kind wait.
 *
 * @param changeable whether memory, processors and processes can be changed later
 */
export function pooled(asked: ContainerKind, changeable: boolean): PoolKind {
  // Only a bound, each run gets its own below it; so none waits with fewer than nearly every job asks for. An interpreter
  // that has started has the very limit of its run.
  const least = asked.preload === undefined ? DEFAULT_LIMITS.openFiles : 0
  const openFiles = Math.max(asked.limits.openFiles, least)
  const kind = { ...asked, limits: { ...asked.limits, openFiles } }
  const key = canonical(kind)
  if (!changeable) return { kind, key, poolKey: key }
  const { memoryMb, cpus: _, processes: __, ...others } = kind.limits
  // Less memory than it has started with could be the end of an interpreter.
  const limits = kind.preload === undefined ? others : { ...others, memoryMb }
  return { kind, key, poolKey: canonical({ ...kind, limits }) }
}
