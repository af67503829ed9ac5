import type { Disposer } from './disposer.ts'
import type { Engine } from './engine.ts'
import { LABELS } from './labels.ts'

/** Why a container was taken away. */
export type ReapReason = 'deadline' | 'owner_gone'

/** What the reaper needs to know beside the engine. */
export interface ReaperOptions {
  readonly engine: Engine
  readonly disposer: Disposer
  /** Only containers of this deployment are looked at: an engine may serve several. */
  readonly deployment: string
  /** Says which of these workers still hold their lease. */
  readonly alive: (owners: string[]) => Promise<ReadonlySet<string>>
  readonly onReaped: (container: string, reason: ReapReason) => void
}

/**
 * Removes what a crash left: containers whose deadline passed, or whose owner is gone. Owner liveness, never age alone.
 *
 * @returns how many were removed
 */
export async function reap(options: ReaperOptions): Promise<number> {
  const { engine, disposer, deployment } = options
  const containers = await engine.call('list', (docker, abortSignal) =>
    docker.listContainers({
      all: true,
      filters: { label: [`${LABELS.deployment}=${deployment}`] },
      abortSignal,
    }),
  )
  const owners = [...new Set(containers.map(({ Labels }) => Labels[LABELS.owner] ?? ''))]
  const alive = containers.length === 0 ? new Set<string>() : await options.alive(owners)
  const doomed = containers.flatMap(({ Id, Labels }): { id: string; reason: ReapReason }[] => {
    if (!alive.has(Labels[LABELS.owner] ?? '')) return [{ id: Id, reason: 'owner_gone' }]
    const deadline = Number(Labels[LABELS.deadline] ?? Number.POSITIVE_INFINITY)
    return deadline < Date.now() ? [{ id: Id, reason: 'deadline' }] : []
  })
  await Promise.all(
    doomed.map(async ({ id, reason }) => {
      await disposer.dispose(id)
      options.onReaped(id, reason)
    }),
  )
  return doomed.length
}
