import { once } from 'node:events'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { closeWhenStalled } from './stalled.ts'

/** Interval of heartbeats in milliseconds, because proxies close silent connections. */
const HEARTBEAT_MS = 15_000

/** The response of a route that sends events. */
export const EVENT_STREAM = {
  description: 'Server-sent events: `id`, `event` and, as JSON, `data`',
  content: { 'text/event-stream': { schema: z.string() } },
}

/** One server-sent event. A reader resumes after it with its `id`. */
export interface ServerSentEvent {
  readonly id: string
  readonly type: string
  readonly data: unknown
}

/**
 * Sends events until they end or the signal is aborted. Waits for slow readers. A HEAD request gets the headers at once.
 *
 * @param onBroken called if the events fail; the reader can resume on this gateway or another
 */
export async function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<ServerSentEvent>,
  { signal, onBroken }: { readonly signal: AbortSignal; readonly onBroken: (error: unknown) => void },
): Promise<void> {
  if (reply.request.method === 'HEAD') return void reply.type('text/event-stream').send()
  reply.hijack()
  const { raw } = reply
  // Writes to a reader that has already disconnected would never drain.
  if (signal.aborted || raw.destroyed || reply.request.raw.socket.destroyed) {
    raw.destroy()
    return
  }
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  closeWhenStalled(raw)
  const heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_MS)
  try {
    for await (const { id, type, data } of events) {
      const frame = `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
      if (!raw.write(frame)) await once(raw, 'drain', { signal })
    }
  } catch (error) {
    if (!signal.aborted) onBroken(error)
  } finally {
    clearInterval(heartbeat)
    raw.end()
  }
}

/** A signal for all streams of a server. It is aborted when the server closes, because open streams would delay that. */
export function untilClose(http: {
  addHook(name: 'preClose', hook: () => Promise<void>): unknown
}): AbortSignal {
  const closing = new AbortController()
  http.addHook('preClose', async () => closing.abort())
  return closing.signal
}
