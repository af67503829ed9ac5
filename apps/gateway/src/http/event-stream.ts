import { once } from 'node:events'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { closeWhenStalled } from './stalled.ts'

/** How often a reader hears of a quiet stream, in milliseconds: proxies close connections that say nothing. */
const HEARTBEAT_MS = 15_000

/** The answer of a route that sends events. */
export const EVENT_STREAM = {
  description: 'Server-sent events: `id`, `event` and, as JSON, `data`',
  content: { 'text/event-stream': { schema: z.string() } },
}

/** One server-sent event. `id` resumes behind it. */
export interface ServerSentEvent {
  readonly id: string
  readonly type: string
  readonly data: unknown
}

/**
 * Sends events until they end or the signal is aborted. A reader that is slow is waited for.
 *
 * @param onBroken the events failed: the reader resumes where it was, on this gateway or another
 */
export async function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<ServerSentEvent>,
  { signal, onBroken }: { readonly signal: AbortSignal; readonly onBroken: (error: unknown) => void },
): Promise<void> {
  reply.hijack()
  const { raw } = reply
  // A reader that has left already never drains what is written to it.
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

/** A signal for all streams of a server, aborted when it closes: open streams would hold it up. */
export function untilClose(http: {
  addHook(name: 'preClose', hook: () => Promise<void>): unknown
}): AbortSignal {
  const closing = new AbortController()
  http.addHook('preClose', async () => closing.abort())
  return closing.signal
}
