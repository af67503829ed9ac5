import type { IsopodClient } from '@isopod/client'
import { isEventId } from '@isopod/protocol'
import { z } from 'zod'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { EVENT_STREAM, type ServerSentEvent, sendEvents, untilClose } from '../http/event-stream.ts'
import { idPath } from '../http/parameters.ts'
import { ID_REFUSALS } from '../http/refusals.ts'
import { unknownExecution } from '../submissions.ts'

const eventId = z.string().refine((id) => id === '' || isEventId(id), { error: 'must be the id of an event' })

/** `GET /v1/executions/{id}/events`: the events of an execution, as server-sent events. */
export function eventRoutes(http: Http, { client, callers, submissions, logger }: GatewayParts): void {
  const closing = untilClose(http)
  http.get(
    '/v1/executions/:id/events',
    {
      schema: {
        operationId: 'followExecution',
        summary: 'Follow an execution',
        description:
          'Server-sent events: `status`, `stdout`, `stderr`, `test`, `dropped`, and `finished` at the end. A job without `stream: true` has only `finished`. `Last-Event-ID` resumes.',
        params: idPath,
        headers: z.looseObject({ 'last-event-id': eventId.optional() }),
        response: { 200: EVENT_STREAM, ...ID_REFUSALS },
      },
    },
    async (request, reply) => {
      const caller = await callers.identify(request.token, 'read')
      const { id } = request.params
      await submissions.checkOwner(caller, id)
      if ((await client.state(id)) === 'unknown') throw unknownExecution(id)
      const after = request.headers['last-event-id']
      const signal = AbortSignal.any([untilDisconnect(reply), closing])
      const events = client.events(id, { signal, ...(after && { after }) })
      await sendEvents(reply, framed(events), {
        signal,
        onBroken: (err) => logger.warn({ err, requestId: request.id }, 'an event stream broke'),
      })
    },
  )
}

async function* framed(events: ReturnType<IsopodClient['events']>): AsyncGenerator<ServerSentEvent> {
  for await (const { id, type, ...data } of events) yield { id, type, data }
}
