import type { JobEvent, JobInput, Result } from '@isopod/protocol'
import type { Producer } from '@isopod/queue'

/** Gets the events of a job, one after the other; the next one comes when it has returned, or its promise has resolved. */
export type EventListener = (event: JobEvent) => void | Promise<void>

/** The job with the flag that its listener needs. What is no job is refused later, in better words. */
export function streaming(job: JobInput): JobInput {
  return typeof job === 'object' && job !== null ? { ...job, stream: true } : job
}

/** Resolves with a job's result once the listener has had its last event. Rejects with what the listener throws. */
export async function waitListening(
  producer: Pick<Producer, 'events' | 'waitForResult'>,
  id: string,
  onEvent: EventListener,
  signal?: AbortSignal,
): Promise<Result> {
  const left = new AbortController()
  const ended = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal])
  const tell = async () => {
    for await (const event of producer.events(id, { signal: ended })) await onEvent(event)
  }
  try {
    const [result] = await Promise.all([producer.waitForResult(id, { signal: ended }), tell()])
    return result
  } finally {
    left.abort()
  }
}
