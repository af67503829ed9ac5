import { setTimeout as sleep } from 'node:timers/promises'
import type { AliveOwners } from './driver.ts'
import type { ReapReason } from './sandbox-events.ts'

/**
 * Time in which an owner without a lease may renew it, in milliseconds: longer than two renewals. After an outage of Redis
 * every lease has expired, and living workers renew theirs within seconds and must keep their containers.
 */
const GRACE_MS = 12_000
/** How long a container of another deployment stays after its deadline, in milliseconds: its own reaper comes first. */
const FOREIGN_GRACE_MS = 60_000

/** What the reaper knows of a container. */
export interface OwnedContainer {
  readonly deployment: string
  /** The worker that made it. */
  readonly owner: string
  /** Milliseconds since 1970, by the clock of its host; infinite for one without a deadline. */
  readonly deadline: number
}

/** Options of {@link findLeftovers}. */
export interface LeftoverOptions {
  /** The deployment whose leases `alive` knows: a host may serve several. */
  readonly deployment: string
  /** Returns which of these workers of the deployment still hold their lease. */
  readonly alive: AliveOwners
  /** The time by the clock of the containers' host. */
  readonly now: number
  /** Replaces the time after which an owner counts as gone, for tests. */
  readonly graceMs?: number | undefined
}

/** A container to remove, and why. */
export interface Leftover<T> {
  readonly container: T
  readonly reason: ReapReason
  readonly isOwnerGone: boolean
}

/**
 * Finds the containers that were left: those of this deployment whose owner is gone, and those of any deployment that are past
 * their deadline, because a deployment that ended can no longer remove its own. An owner counts as gone if two checks find no
 * lease.
 */
export async function findLeftovers<T extends OwnedContainer>(
  containers: readonly T[],
  { deployment, alive: askAlive, now, graceMs = GRACE_MS }: LeftoverOptions,
): Promise<Leftover<T>[]> {
  const isOurs = (container: T) => container.deployment === deployment
  const owners = [...new Set(containers.filter(isOurs).map(({ owner }) => owner))]
  const living = async () => (owners.length === 0 ? new Set<string>() : await askAlive(owners))
  let alive = await living()
  if (alive.size < owners.length) {
    await sleep(graceMs)
    alive = await living()
  }
  const reasonToRemove = (container: T): ReapReason | undefined => {
    const { owner, deadline } = container
    if (!isOurs(container)) return deadline < now - FOREIGN_GRACE_MS ? 'deadline' : undefined
    if (!alive.has(owner)) return 'owner_gone'
    return deadline < now ? 'deadline' : undefined
  }
  return containers.flatMap((container) => {
    const reason = reasonToRemove(container)
    return reason === undefined ? [] : [{ container, reason, isOwnerGone: !alive.has(container.owner) }]
  })
}
