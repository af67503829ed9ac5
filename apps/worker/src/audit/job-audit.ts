import { createHash } from 'node:crypto'
import { languageTag, publicMessageOf, type Result } from '@isopod/protocol'
import { type Delivery, JobInterrupted } from '@isopod/queue'
import type { ContainerFacts, Execution, Outcome } from '@isopod/sandbox'
import type { Audit, AuditContent, RefusedBy } from './audit-event.ts'

/** Makes the functions that audit the steps of one attempt. */
export function jobAudit(audit: Audit, { id, attempt, job }: Delivery) {
  const subject = { job: id, attempt }
  const codeSha256 = createHash('sha256').update(job.code).digest('hex')

  return {
    subject,

    requested(): void {
      const { tenant, language, network, code, stdin } = job
      audit({
        ...subject,
        event: 'requested',
        tenant,
        language,
        codeSha256,
        network,
        content: { code, stdin },
      })
    },

    refused(by: RefusedBy, problems: readonly string[]): void {
      audit({ ...subject, event: 'refused', by, problems: problems.length, content: { problems } })
    },

    limitEnforced({ limit, container }: Outcome): void {
      if (limit !== null) audit({ ...subject, event: 'limit_enforced', limit, containerId: container.id })
    },

    finished(
      result: Result,
      ran: { readonly execution: Execution | undefined; readonly container: ContainerFacts | undefined },
    ): void {
      const { status, stdout, stderr } = result
      audit({
        ...subject,
        event: 'finished',
        tenant: job.tenant,
        language: ran.execution === undefined ? job.language : languageTag(ran.execution.language),
        codeSha256,
        limits: ran.execution?.limits ?? null,
        containerId: ran.container?.id ?? null,
        imageDigest: ran.container?.imageDigest ?? null,
        runtime: ran.container?.runtime ?? null,
        status,
        content: { stdout, stderr },
      })
    },

    /** The attempt ended without a result: interrupted, or failed by the platform. */
    ended(error: unknown): void {
      if (error instanceof JobInterrupted) audit({ ...subject, event: 'interrupted', cause: error.cause })
      else audit({ ...subject, event: 'setup_failed', ...auditedError(error) })
    },
  }
}

/** The fields of an error in audit events. */
export function auditedError(thrown: unknown): { readonly error: string; readonly content: AuditContent } {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { error: publicMessageOf(thrown) ?? name, content: { error: message } }
}
