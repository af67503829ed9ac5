import { setTimeout as sleep } from 'node:timers/promises'
import type { AliveOwners } from '../driver/driver.ts'
import type { ContainerOf, ReapReason } from '../driver/sandbox-events.ts'
import type { Engine } from './engine/engine.ts'
import { LABELS } from './labels.ts'
import { type Remover, removeContainer } from './remover.ts'

/**
 * Time in which an owner without a lease may renew it, in milliseconds: longer than two renewals. After an outage of Redis
 * every lease has expired, and living workers renew theirs within seconds and must keep their containers.
 */
const DOUBT_MS = 12_000

/** Options of {@link reap}. */
export interface ReaperOptions {
  readonly engine: Engine
  readonly remover: Remover
  /** Only containers of this deployment are reaped: an engine may serve several. */
  readonly deployment: string
  /** Returns which of these workers still hold their lease. */
  readonly alive: AliveOwners
  readonly onReaped: (container: ContainerOf, reason: ReapReason) => void
  /** Replaces the time after which an owner counts as gone, for tests. */
  readonly doubtMs?: number
}

/**
 * Removes leftover containers: those whose deadline has passed, or whose owner is gone. An owner counts as gone if two checks
 * find no lease.
 *
 * @returns how many were removed
 */
export async function reap(options: ReaperOptions): Promise<number> {
  const { engine, remover, deployment, doubtMs = DOUBT_MS } = options
  const living = async (owners: string[]) => (owners.length === 0 ? new Set() : await options.alive(owners))
  const containers = await list(engine, [`${LABELS.deployment}=${deployment}`])
  const owners = [...new Set(containers.map(({ Labels }) => Labels[LABELS.owner] ?? ''))]
  let alive = await living(owners)
  if (alive.size < owners.length) {
    await sleep(doubtMs)
    alive = await living(owners)
  }
  const doomed = containers.flatMap(({ Id, Labels }): { of: ContainerOf; reason: ReapReason }[] => {
    const of = { container: Id, job: Labels[LABELS.job] ?? '', attempt: Number(Labels[LABELS.attempt] ?? 0) }
    if (!alive.has(Labels[LABELS.owner] ?? '')) return [{ of, reason: 'owner_gone' }]
    const deadline = Number(Labels[LABELS.deadline] ?? Number.POSITIVE_INFINITY)
    return deadline < Date.now() ? [{ of, reason: 'deadline' }] : []
  })
  await Promise.all(
    doomed.map(async ({ of, reason }) => {
      await remover.remove(of.container)
      options.onReaped(of, reason)
    }),
  )
  return doomed.length
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
