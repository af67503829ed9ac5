import { SEPARATIONS } from '@isopod/protocol'
import { z } from 'zod'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Http } from '../http/create-http.ts'
import { BARE_REFUSALS } from '../http/refusals.ts'

const queueSchema = z.object({
  waiting: z.number().int(),
  running: z.number().int(),
  workers: z.number().int().describe('Workers that take jobs'),
  slots: z.number().int().describe('Maximum number of jobs that run at once on all workers'),
  oldestWaitingSeconds: z.number(),
  predictedWaitSeconds: z
    .number()
    .nullable()
    .describe('How long a job that is submitted now would wait; null if that cannot be predicted'),
})

const languageSchema = z.object({
  name: z.string(),
  version: z.string(),
  aliases: z.array(z.string()),
  separations: z
    .array(z.enum(SEPARATIONS))
    .optional()
    .describe('Where test scripts can run, the default first; not set for a language without scripts'),
  missingImage: z.string().optional().describe('The image of the language, if a worker lacks it'),
})

/** `/v1/queue` and `/v1/languages`. */
export function queueRoutes(http: Http, { client, callers }: GatewayParts): void {
  const queue = {
    operationId: 'readQueue',
    summary: 'How full the queue is',
    response: { 200: queueSchema, ...BARE_REFUSALS },
  }
  http.get('/v1/queue', { schema: queue }, async (request) => {
    await callers.identify(request.token, 'read')
    const { waiting, prioritized, delayed, active, workers, slots, ...times } = await client.queue()
    return {
      waiting: waiting + prioritized + delayed,
      running: active,
      workers,
      slots,
      oldestWaitingSeconds: times.oldestWaitingAgeSeconds,
      predictedWaitSeconds: times.predictedWaitSeconds,
    }
  })

  const languages = {
    operationId: 'listLanguages',
    summary: 'The languages that workers offer',
    response: { 200: z.object({ languages: z.array(languageSchema) }), ...BARE_REFUSALS },
  }
  http.get('/v1/languages', { schema: languages }, async (request) => {
    await callers.identify(request.token, 'read')
    const offered = (await client.languages()) ?? []
    const listed = offered.map(({ aliases, separations, ...language }) => ({
      ...language,
      aliases: [...aliases],
      ...(separations !== undefined && { separations: [...separations] }),
    }))
    return { languages: listed }
  })
}
