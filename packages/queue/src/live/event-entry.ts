import { ConfigError, isEventId, type JobEvent, liveEventSchema } from '@isopod/protocol'

/** Maximum number of entries in one read, and thus in the memory of a reader that takes none. */
export const READ_ENTRIES = 32
/** The cursor before the first entry of a stream. */
export const FIRST_CURSOR = '0-0'

/** An entry as Redis returns it: its id, and its fields with their values. */
export type StreamEntry = readonly [id: string, fields: readonly string[]]

/** The event of an entry; undefined if this release does not know it, or if another program wrote it. */
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

/** Whether the first id comes after the second one. */
export function isAfter(one: string, other: string): boolean {
  const [attempt = 0, number = 0] = one.split('-').map(Number)
  const [otherAttempt = 0, otherNumber = 0] = other.split('-').map(Number)
  return attempt === otherAttempt ? number > otherNumber : attempt > otherAttempt
}

/**
 * Checks the id after which a reader resumes.
 *
 * @throws {ConfigError}
 */
export function checkCursor(after: string | undefined): void {
  if (after === undefined || isEventId(after)) return
  throw new ConfigError(`after: must be the id of an event, got ${JSON.stringify(after).slice(0, 100)}`)
}
