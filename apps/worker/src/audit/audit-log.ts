import type { Logger } from '@isopod/telemetry'
import type { Audit, AuditContent, AuditEvent } from './audit-event.ts'

/** Longest text of a program or a stream that an event carries, in characters. */
const CONTENT_CHARACTERS = 65_536
/** Sentences about what was refused, at most. */
const CONTENT_SENTENCES = 100

/** Where audit events go. */
export interface AuditLogOptions {
  readonly logger: Logger
  /** Takes each event too, for those who keep more than log lines; must not throw. */
  readonly append?: ((entry: { event: string; job: string; json: () => string }) => void) | undefined
  /** Whether events carry code, stdin and output. */
  readonly content: boolean
}

/** The one door through which audit events leave: it is here that code and output stay behind unless asked for. */
export function auditLog({ logger, append, content }: AuditLogOptions): Audit {
  // A level that silences chatter must not silence the record; only `silent` means nothing at all.
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
      // Of a list it is the number of sentences that is bounded; each is short.
      text?.slice(0, typeof text === 'string' ? CONTENT_CHARACTERS : CONTENT_SENTENCES),
    ],
  )
  return { ...event, content: Object.fromEntries(texts) as AuditContent }
}
