import { findLeftovers, type LeftoverOptions } from '../driver/find-leftovers.ts'
import type { ContainerSubject, ReapReason } from '../driver/sandbox-events.ts'
import type { ProcessRemover } from './process-remover.ts'
import type { SandboxRecords } from './records.ts'

/** Options of {@link reapSandboxes}. */
export interface ProcessReaperOptions extends Omit<LeftoverOptions, 'now'> {
  readonly records: SandboxRecords
  readonly remover: ProcessRemover
  readonly onReaped: (sandbox: ContainerSubject, reason: ReapReason) => void
}

/**
 * Removes the sandboxes that were left on this host.
 *
 * @returns how many were removed, without the places that waited for a sandbox
 */
export async function reapSandboxes(options: ProcessReaperOptions): Promise<number> {
  const { records, remover, onReaped } = options
  const all = [...records.all()].map(([id, record]) => ({ ...record, id }))
  const leftovers = await findLeftovers(all, { ...options, now: Date.now() })
  const removals = leftovers.map(async ({ container, reason, isOwnerGone }) => {
    const { id, job, attempt, isSpare } = container
    const isReaped = (await remover.removeLeftover(id, container, isOwnerGone)) && !isSpare
    if (isReaped) onReaped({ container: id, job, attempt }, reason)
    return isReaped
  })
  return (await Promise.all(removals)).filter(Boolean).length
}
