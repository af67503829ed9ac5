import type { JobEvent, JobInput, Result } from '@isopod/protocol'
import type { Producer } from '@isopod/queue'

/** Receives the events of a job one at a time; the next call waits for the returned promise. */
export type EventListener = (event: JobEvent) => void | Promise<void>

/** The job with the flag that its listener needs. Values that are not jobs are left to the validation. */
export function streaming(job: JobInput): JobInput {
  return typeof job === 'object' && job !== null ? { ...job, stream: true } : job
}

/** Resolves with a job's result after the listener has received the last event. Rejects with an error of the listener. */
export async function waitListening(
  producer: Pick<Producer, 'events' | 'waitForResult'>,
  id: string,
  onEvent: EventListener,
  signal?: AbortSignal,
): Promise<Result> {
  const left = new AbortController()
  const ended = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal])
  const forward = async () => {
    for await (const event of producer.events(id, { signal: ended })) await onEvent(event)
  }
  try {
    const [result] = await Promise.all([producer.waitForResult(id, { signal: ended }), forward()])
    return result
  } finally {
    left.abort()
  }
}
