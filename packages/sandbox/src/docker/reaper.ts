import { findLeftovers, type LeftoverOptions } from '../driver/find-leftovers.ts'
import type { ContainerSubject, ReapReason } from '../driver/sandbox-events.ts'
import type { Engine } from './engine/engine.ts'
import { LABELS } from './labels.ts'
import { type Remover, removeContainer } from './remover.ts'

/** Options of {@link reap}. */
export interface ReaperOptions extends Omit<LeftoverOptions, 'now'> {
  readonly engine: Engine
  readonly remover: Remover
  readonly onReaped: (container: ContainerSubject, reason: ReapReason) => void
}

/**
 * Removes the containers that were left on an engine.
 *
 * @returns how many were removed
 */
export async function reap(options: ReaperOptions): Promise<number> {
  const { engine, remover, onReaped } = options
  const containers = (await list(engine, [LABELS.deployment])).map(described)
  if (containers.length === 0) return 0
  const leftovers = await findLeftovers(containers, { ...options, now: await engineTime(engine) })
  await Promise.all(
    leftovers.map(async ({ container: { id, job, attempt }, reason }) => {
      await remover.remove(id)
      onReaped({ container: id, job, attempt }, reason)
    }),
  )
  return leftovers.length
}

type ListedContainer = Awaited<ReturnType<typeof list>>[number]

/** What the labels of a container say; one without a lifetime has no deadline. */
function described({ Id, Created, Labels }: ListedContainer) {
  return {
    id: Id,
    deployment: Labels[LABELS.deployment] ?? '',
    owner: Labels[LABELS.owner] ?? '',
    job: Labels[LABELS.job] ?? '',
    attempt: Number(Labels[LABELS.attempt] ?? 0),
    deadline: Created * 1000 + Number(Labels[LABELS.lifetime] ?? Number.POSITIVE_INFINITY),
  }
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
