import { ConfigError, isEventId, type JobEvent, liveEventSchema } from '@isopod/protocol'

/** Entries that are read at once: a reader that takes none holds no more than these. */
export const READ_ENTRIES = 32
/** Before the first entry of a stream. */
export const FIRST_CURSOR = '0-0'

/** An entry as Redis gives it: its id, and its fields with their values. */
export type StreamEntry = readonly [id: string, fields: readonly string[]]

/** The event of an entry; undefined for one that this release does not know, or that some other program wrote. */
export function eventOf([id, fields]: StreamEntry): JobEvent | undefined {
  const text = fields[0] === 'event' ? fields[1] : undefined
  if (text === undefined) return undefined
  try {
    const parsed = liveEventSchema.safeParse(JSON.parse(text))
    return parsed.success ? { id, ...parsed.data } : undefined
  } catch {
    return undefined
  }
}

/** Whether the first id comes behind the second one. */
export function isBehind(one: string, other: string): boolean {
  const [attempt = 0, number = 0] = one.split('-').map(Number)
  const [otherAttempt = 0, otherNumber = 0] = other.split('-').map(Number)
  return attempt === otherAttempt ? number > otherNumber : attempt > otherAttempt
}

/**
 * Checks the id that a reader resumes behind.
 *
 * @throws {ConfigError}
 */
export function checkCursor(after: string | undefined): void {
  if (after === undefined || isEventId(after)) return
  throw new ConfigError(`after: must be the id of an event, got ${JSON.stringify(after).slice(0, 100)}`)
}
