import { createHash } from 'node:crypto'

/** Labels on everything that Isopod makes on an engine; the reaper decides by them. */
export const LABELS = {
  /** The deployment, so that two of them can share an engine. */
  deployment: 'isopod.deployment',
  /** Id of the worker that made it. */
  owner: 'isopod.owner',
  job: 'isopod.job',
  attempt: 'isopod.attempt',
  /** Epoch milliseconds after which nobody can still need it. */
  deadline: 'isopod.deadline',
} as const

/**
 * Name of an execution's container: the same for the same attempt, so that a create whose answer was lost is found again, and
 * another in each deployment: two that share an engine may have jobs with one id.
 */
export function containerName(deployment: string, execution: { id: string; attempt: number }): string {
  const of = createHash('sha256').update(deployment).digest('hex').slice(0, 12)
  return `isopod-${of}-${execution.id}-${execution.attempt}`
}
