import { once } from 'node:events'
import type { JobEvent } from '@isopod/client'
import { z } from 'zod'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { problemSchema } from '../http/problem.ts'
import type { GatewayParts } from '../server.ts'
import { unknownExecution } from '../submissions.ts'

/** How often a reader hears of a quiet execution, in milliseconds: proxies close connections that say nothing. */
const HEARTBEAT_MS = 15_000

const refusals = { 400: problemSchema, 401: problemSchema, 403: problemSchema, 404: problemSchema }

/** `GET /v1/executions/{id}/events`: what an execution does, as server-sent events. */
export function eventRoutes(http: Http, { client, callers, submissions, logger }: GatewayParts): void {
  const closing = new AbortController()
  http.addHook('preClose', async () => closing.abort())
  http.get(
    '/v1/executions/:id/events',
    {
      // The answer to a HEAD would end with the execution, as that to a GET does.
      exposeHeadRoute: false,
      schema: {
        summary: 'Follow an execution',
        description:
          'Server-sent events: `status`, `stdout`, `stderr`, `test`, `dropped`, and `finished` at the end. A job needs `stream: true` to tell more than `finished`. `Last-Event-ID` resumes.',
        params: z.object({ id: z.string().min(1).max(128) }),
        headers: z.looseObject({ 'last-event-id': z.string().max(128).optional() }),
        response: { 200: z.string().describe('text/event-stream'), ...refusals },
      },
    },
    async (request, reply) => {
      const caller = await callers.identify(request.token, 'read')
      const { id } = request.params
      await submissions.checkOwner(caller, id)
      if ((await client.state(id)) === 'unknown') throw unknownExecution(id)
      const after = request.headers['last-event-id']
      const signal = AbortSignal.any([untilDisconnect(reply), closing.signal])
      const events = client.events(id, { signal, ...(after && { after }) })
      reply.hijack()
      const { raw } = reply
      raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream',
        'x-accel-buffering': 'no',
      })
      raw.flushHeaders()
      const heartbeat = setInterval(() => raw.write(':\n\n'), HEARTBEAT_MS)
      try {
        for await (const event of events) {
          // A reader that is slow is waited for; what it has not read lies in Redis.
          if (!raw.write(frame(event))) await once(raw, 'drain', { signal })
        }
      } catch (error) {
        // The reader resumes where it was, on this gateway or another.
        if (!signal.aborted) logger.warn({ err: error, requestId: request.id }, 'an event stream broke')
      } finally {
        clearInterval(heartbeat)
        raw.end()
      }
    },
  )
}

function frame({ id, type, ...data }: JobEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
