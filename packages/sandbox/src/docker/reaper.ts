import { setTimeout as sleep } from 'node:timers/promises'
import type { AliveOwners } from '../driver/driver.ts'
import type { ContainerSubject, ReapReason } from '../driver/sandbox-events.ts'
import type { Engine } from './engine/engine.ts'
import { LABELS } from './labels.ts'
import { type Remover, removeContainer } from './remover.ts'

/**
 * Time in which an owner without a lease may renew it, in milliseconds: longer than two renewals. After an outage of Redis
 * every lease has expired, and living workers renew theirs within seconds and must keep their containers.
 */
const GRACE_MS = 12_000
/** How long a container of another deployment stays after its deadline, in milliseconds: its own reaper comes first. */
const FOREIGN_GRACE_MS = 60_000

/** Options of {@link reap}. */
export interface ReaperOptions {
  readonly engine: Engine
  readonly remover: Remover
  /** The deployment whose leases `alive` knows: an engine may serve several. */
  readonly deployment: string
  /** Returns which of these workers of the deployment still hold their lease. */
  readonly alive: AliveOwners
  readonly onReaped: (container: ContainerSubject, reason: ReapReason) => void
  /** Replaces the time after which an owner counts as gone, for tests. */
  readonly graceMs?: number
}

/**
 * Removes leftover containers: those of this deployment whose owner is gone, and those of any deployment that are past their
 * deadline, because a deployment that ended can no longer remove its own. An owner counts as gone if two checks find no lease.
 *
 * @returns how many were removed
 */
export async function reap(options: ReaperOptions): Promise<number> {
  const { engine, remover, deployment, graceMs = GRACE_MS } = options
  const living = async (owners: string[]) => (owners.length === 0 ? new Set() : await options.alive(owners))
  const containers = await list(engine, [LABELS.deployment])
  if (containers.length === 0) return 0
  const now = await engineTime(engine)
  const isOurs = ({ Labels }: ListedContainer) => Labels[LABELS.deployment] === deployment
  const ownerOf = ({ Labels }: ListedContainer) => Labels[LABELS.owner] ?? ''
  const owners = [...new Set(containers.filter(isOurs).map(ownerOf))]
  let alive = await living(owners)
  if (alive.size < owners.length) {
    await sleep(graceMs)
    alive = await living(owners)
  }
  const reasonToRemove = (container: ListedContainer): ReapReason | undefined => {
    if (!isOurs(container)) return hasOutlived(container, now - FOREIGN_GRACE_MS) ? 'deadline' : undefined
    if (!alive.has(ownerOf(container))) return 'owner_gone'
    return hasOutlived(container, now) ? 'deadline' : undefined
  }
  const leftovers = containers.flatMap((container): { subject: ContainerSubject; reason: ReapReason }[] => {
    const reason = reasonToRemove(container)
    const { Id, Labels } = container
    const [job, attempt] = [Labels[LABELS.job] ?? '', Number(Labels[LABELS.attempt] ?? 0)]
    return reason === undefined ? [] : [{ subject: { container: Id, job, attempt }, reason }]
  })
  await Promise.all(
    leftovers.map(async ({ subject, reason }) => {
      await remover.remove(subject.container)
      options.onReaped(subject, reason)
    }),
  )
  return leftovers.length
}

type ListedContainer = Awaited<ReturnType<typeof list>>[number]

/** Whether a container is past its deadline; one without a lifetime has none. */
function hasOutlived({ Created, Labels }: ListedContainer, now: number): boolean {
  return Created * 1000 + Number(Labels[LABELS.lifetime] ?? Number.POSITIVE_INFINITY) < now
}

/** The engine's clock in epoch milliseconds: it dates the containers, and the clocks of workers may differ from it. */
async function engineTime(engine: Engine): Promise<number> {
  const { SystemTime } = await engine.call('info', (docker) => docker.info())
  return Date.parse(SystemTime)
}

/** Removes every container of a worker that ends. */
export async function removeContainersOf(engine: Engine, deployment: string, owner: string): Promise<void> {
  const containers = await list(engine, [`${LABELS.deployment}=${deployment}`, `${LABELS.owner}=${owner}`])
  await Promise.all(containers.map(({ Id }) => removeContainer(engine, Id)))
}

function list(engine: Engine, label: string[]) {
  return engine.call('list', (docker, abortSignal) =>
    docker.listContainers({ all: true, filters: { label }, abortSignal }),
  )
}
