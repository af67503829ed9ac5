import { setTimeout as sleep } from 'node:timers/promises'
import type { AliveOwners } from '../driver/driver.ts'
import type { ContainerSubject, ReapReason } from '../driver/sandbox-events.ts'
import type { ProcessRemover } from './process-remover.ts'
import type { SandboxRecord, SandboxRecords } from './records.ts'

/** Time in which an owner without a lease may renew it, in milliseconds; see the reaper of the Docker driver. */
const GRACE_MS = 12_000
/** How long a sandbox of another deployment stays after its deadline, in milliseconds: its own reaper comes first. */
const FOREIGN_GRACE_MS = 60_000

/** Options of {@link reapSandboxes}. */
export interface ProcessReaperOptions {
  readonly records: SandboxRecords
  readonly remover: ProcessRemover
  /** The deployment whose leases `alive` knows: a host may serve several. */
  readonly deployment: string
  readonly alive: AliveOwners
  readonly onReaped: (sandbox: ContainerSubject, reason: ReapReason) => void
  /** Replaces the time after which an owner counts as gone, for tests. */
  readonly graceMs?: number
}

/**
 * Removes leftovers: sandboxes of this deployment whose owner is gone, and those of any deployment past their deadline.
 *
 * @returns how many were removed, without the places that waited for a sandbox
 */
export async function reapSandboxes(options: ProcessReaperOptions): Promise<number> {
  const { records, remover, deployment, graceMs = GRACE_MS } = options
  const all = records.all()
  const isOurs = (record: SandboxRecord) => record.deployment === deployment
  const owners = [...new Set([...all.values()].filter(isOurs).map(({ owner }) => owner))]
  const living = async () => (owners.length === 0 ? new Set<string>() : await options.alive(owners))
  let alive = await living()
  if (alive.size < owners.length) {
    await sleep(graceMs)
    alive = await living()
  }
  const now = Date.now()
  const reasonToRemove = (record: SandboxRecord): ReapReason | undefined => {
    if (!isOurs(record)) return record.deadline < now - FOREIGN_GRACE_MS ? 'deadline' : undefined
    if (!alive.has(record.owner)) return 'owner_gone'
    return record.deadline < now ? 'deadline' : undefined
  }
  const leftovers = [...all].flatMap(([container, record]) => {
    const reason = reasonToRemove(record)
    const { job, attempt, isSpare = false } = record
    return reason === undefined ? [] : [{ subject: { container, job, attempt }, record, reason, isSpare }]
  })
  await Promise.all(
    leftovers.map(async ({ subject, record, reason, isSpare }) => {
      await remover.removeLeftover(subject.container, record, !alive.has(record.owner))
      if (!isSpare) options.onReaped(subject, reason)
    }),
  )
  return leftovers.filter(({ isSpare }) => !isSpare).length
}
