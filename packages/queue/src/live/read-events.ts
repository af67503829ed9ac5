import { type JobEvent, LAST_EVENT_ID, type Result } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import { eventOf, FIRST_CURSOR, READ_ENTRIES, type StreamEntry } from './event-entry.ts'
import type { EventFeed } from './event-feed.ts'

/** Options of a reader of events. */
export interface EventsOptions {
  /** Id of the last event that the reader has. @default reads from the first event */
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The source of a job's events. */
export interface EventSource {
  readonly redis: Redis
  readonly feed: EventFeed
  readonly key: string
  /** Resolves with the status of the finished job; a rejection ends the reader. */
  waitForEnd(signal: AbortSignal): Promise<Result['status']>
  /** Calls Redis; turns timeouts and failures into errors for callers. */
  ask<T>(ask: () => Promise<T>): Promise<T>
}

/** The events of a job in order, and `finished` when it has a result. */
export async function* readEvents(
  { redis, feed, key, waitForEnd, ask }: EventSource,
  { after = FIRST_CURSOR, signal }: EventsOptions,
): AsyncGenerator<JobEvent, void, undefined> {
  if (after === LAST_EVENT_ID) return
  const left = new AbortController()
  const over = new AbortController()
  const status = waitForEnd(signal ? AbortSignal.any([signal, left.signal]) : left.signal)
  status.then(
    () => over.abort(),
    () => over.abort(),
  )
  let cursor = after
  try {
    while (!over.signal.aborted) {
      const entries = await feed.next(key, cursor, over.signal).catch(() => [])
      for (const entry of entries) {
        cursor = entry[0]
        const event = eventOf(entry)
        if (event !== undefined) yield event
      }
    }
    const finished = await status
    // The worker has sent all events before the result.
    for (;;) {
      const entries = await ask(() => readRemaining(redis, key, cursor))
      if (entries.length === 0) break
      for (const entry of entries) {
        cursor = entry[0]
        const event = eventOf(entry)
        if (event !== undefined) yield event
      }
    }
    yield { id: LAST_EVENT_ID, type: 'finished', status: finished }
  } finally {
    left.abort()
  }
}

async function readRemaining(redis: Redis, key: string, cursor: string): Promise<readonly StreamEntry[]> {
  try {
    return await redis.xrange(key, `(${cursor}`, '+', 'COUNT', READ_ENTRIES)
  } catch (error) {
    // Another program has written a key of another type.
    if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return []
    throw error
  }
}
