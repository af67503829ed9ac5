import { createHash } from 'node:crypto'
import { type Job, languageTag } from '@isopod/protocol'
import type { ContainerFacts, Execution } from '@isopod/sandbox'
import type { Logger } from '@isopod/telemetry'

/** One execution, as the audit line says it. Never code, input or output. */
export interface AuditEntry {
  readonly id: string
  readonly attempt: number
  readonly job: Job
  /** Undefined if the job was refused. */
  readonly execution: Execution | undefined
  readonly container: ContainerFacts | undefined
  /** A status, or `retried` when the platform failed and the job went back to the queue. */
  readonly status: string
}

/** Writes the one line that says who ran what, where and how it ended. */
export function audit(logger: Logger, entry: AuditEntry): void {
  const { id, attempt, job, execution, container, status } = entry
  logger.info(
    {
      audit: true,
      job: id,
      attempt,
      tenant: job.tenant,
      language: execution === undefined ? job.language : languageTag(execution.language),
      codeSha256: createHash('sha256').update(job.code).digest('hex'),
      limits: execution?.limits ?? null,
      containerId: container?.id ?? null,
      imageDigest: container?.imageDigest ?? null,
      runtime: container?.runtime ?? null,
      status,
    },
    'execution',
  )
}
