import { z } from 'zod'
import type { Result } from './result.ts'
import { openList } from './schema.ts'
import { VERDICTS } from './test-case.ts'

/** Id of the last event of every job. */
export const LAST_EVENT_ID = 'finished'

/** Whether a text has the form of an event id: `<attempt>-<number>`, or {@link LAST_EVENT_ID}. */
export function isEventId(text: string): boolean {
  return text === LAST_EVENT_ID || /^\d{1,15}-\d{1,15}$/.test(text)
}

const count = z.int().min(0)
const outputFields = {
  /** Whole characters; an incomplete one comes with the next event. Undecodable bytes become U+FFFD. */
  text: z.string(),
  /** Base64 of the bytes, if they are not valid UTF-8. */
  raw: z.string().optional(),
}

/** Schema of {@link LiveEvent}. Drops fields and types that a newer worker adds. */
export const liveEventSchema = z.discriminatedUnion('type', [
  /** The program starts. Earlier output is void: it belongs to an earlier attempt or run. */
  z.object({ type: z.literal('status'), status: z.literal('running'), attempt: count }),
  z.object({ type: z.literal('stdout'), ...outputFields }),
  z.object({ type: z.literal('stderr'), ...outputFields }),
  /** The verdict of a test case. A later event with the same `index`, counted from 0, replaces it. */
  z.object({ type: z.literal('test'), index: count, name: z.string(), verdict: openList(VERDICTS) }),
  /** Number and total size of output chunks that were left out here; the result contains them. */
  z.object({ type: z.literal('dropped'), chunks: count, bytes: count }),
])

/** An event that a worker sends while a job runs. */
export type LiveEvent = z.infer<typeof liveEventSchema>

/** One event of a job, as readers receive it. Reading resumes after an `id`. */
export type JobEvent = { readonly id: string } & (
  | LiveEvent
  /** The last event: the job has a result. */
  | { readonly type: 'finished'; readonly status: Result['status'] }
)
