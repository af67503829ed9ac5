import type { Redis } from 'ioredis'
import { GUARD } from './guard-lua.ts'

/** One of BullMQ's scripts. */
export interface BullScript {
  /** How the client calls it. */
  readonly name: string
  readonly lua: string
  readonly numberOfKeys: number
}

/**
 * One of BullMQ's scripts, as BullMQ itself has registered it with a client that it uses.
 *
 * @throws if this release of BullMQ has no such script
 */
export function bullScript(redis: Redis, script: string): BullScript {
  const scripts: Readonly<Record<string, Omit<BullScript, 'name'>>> = redis.scriptsSet
  const found = Object.entries(scripts).find(([name]) => name.startsWith(`${script}:`))
  if (found === undefined) throw new Error(`BullMQ has no script ${script}`)
  const [name, { lua, numberOfKeys }] = found
  // Without its guard: what it becomes a part of has one.
  return { name, lua: lua.startsWith(GUARD) ? lua.slice(GUARD.length) : lua, numberOfKeys }
}
