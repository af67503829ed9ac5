import type { Logger } from '@isopod/telemetry'
import type { Audit, AuditContent, AuditEvent } from './audit-event.ts'

/** Maximum length of a program or stream in an event, in characters. */
const CONTENT_CHARACTERS = 65_536
/** Maximum number of sentences about a refusal. */
const CONTENT_SENTENCES = 100

/** Where audit events go. */
export interface AuditLogOptions {
  readonly logger: Logger
  /** Also receives each event, for the audit stream; must not throw. */
  readonly append?: ((entry: { event: string; job: string; json: () => string }) => void) | undefined
  /** Whether events contain code, stdin and output. */
  readonly content: boolean
}

/** Makes the function that writes audit events. It removes code and output unless the operator wants them. */
export function auditLog({ logger, append, content }: AuditLogOptions): Audit {
  // Audit events are logged at every level except `silent`.
  const record = logger.child({ audit: true }, logger.level === 'silent' ? {} : { level: 'info' })
  return (event) => {
    const entry = content ? shortened(event) : withoutContent(event)
    record.info(entry, entry.event)
    append?.({ event: entry.event, job: entry.job, json: () => JSON.stringify(entry) })
  }
}

function withoutContent(event: AuditEvent): AuditEvent {
  if (!('content' in event)) return event
  const { content: _, ...rest } = event
  return rest
}

function shortened(event: AuditEvent): AuditEvent {
  if (!('content' in event) || event.content === undefined) return event
  const texts = Object.entries(event.content).map(
    ([name, text]: [string, AuditContent[keyof AuditContent]]) => [
      name,
      // In a list, the number of sentences is bounded; each is short.
      text?.slice(0, typeof text === 'string' ? CONTENT_CHARACTERS : CONTENT_SENTENCES),
    ],
  )
  return { ...event, content: Object.fromEntries(texts) as AuditContent }
}
