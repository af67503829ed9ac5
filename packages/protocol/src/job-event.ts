import { z } from 'zod'
import type { Status } from './status.ts'
import { VERDICTS } from './test-case.ts'

/** Id of the last event of every job. */
export const LAST_EVENT_ID = 'finished'

/** Whether a text can be the id of an event: `<attempt>-<number>`, or that of the last one. */
export function isEventId(text: string): boolean {
  return text === LAST_EVENT_ID || /^\d{1,15}-\d{1,15}$/.test(text)
}

const count = z.int().min(0)
const outputFields = {
  /** Whole characters: what the program has written of the next one comes with it. Undecodable bytes stand as U+FFFD. */
  text: z.string(),
  /** Base64 of the bytes, where they are not valid UTF-8. */
  raw: z.string().optional(),
}

/**
 * What a worker tells while a job runs. Fields and types that a newer worker adds are dropped, not refused.
 */
export const liveEventSchema = z.discriminatedUnion('type', [
  /** The program starts in its container. All that came before is void: an earlier attempt wrote it, or an earlier run. */
  z.object({ type: z.literal('status'), status: z.literal('running'), attempt: count }),
  z.object({ type: z.literal('stdout'), ...outputFields }),
  z.object({ type: z.literal('stderr'), ...outputFields }),
  /** A test was judged. A later event of the same `index`, which counts from 0, takes the place of this one. */
  z.object({ type: z.literal('test'), index: count, name: z.string(), verdict: z.enum(VERDICTS) }),
  /** So many chunks of output, with so many bytes together, are not told here; the result has them. */
  z.object({ type: z.literal('dropped'), chunks: count, bytes: count }),
])

/** What a worker tells while a job runs. */
export type LiveEvent = z.infer<typeof liveEventSchema>

/** One event of a job as its readers get it. `id` resumes behind it. */
export type JobEvent = { readonly id: string } & (
  | LiveEvent
  /** The job has its result. It is the last event. */
  | { readonly type: 'finished'; readonly status: Status }
)
