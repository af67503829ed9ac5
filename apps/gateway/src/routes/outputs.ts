import type { Result } from '@isopod/client'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { GatewayParts } from '../gateway-parts.ts'
import { attachmentHeaders } from '../http/attachment.ts'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { untilClose } from '../http/event-stream.ts'
import { idPath, textParameter, waitQuery } from '../http/parameters.ts'
import type { PresentedKey } from '../http/presented-key.ts'
import { problemSchema, RequestRefused } from '../http/problem.ts'
import { ID_REFUSALS } from '../http/refusals.ts'
import { unknownExecution } from '../submissions.ts'
import { resultWithin } from './execution-body.ts'

const STREAMS = ['stdout', 'stderr', 'compile'] as const

const responses = {
  200: {
    description: 'The bytes, as an attachment that browsers save and never render',
    content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
  },
  409: problemSchema,
  ...ID_REFUSALS,
}

/** `/v1/executions/{id}/output/{stream}` and `/files/{path}`: outputs and files of a program, byte for byte. */
export function outputRoutes(http: Http, { client, callers, submissions }: GatewayParts): void {
  const closing = untilClose(http)

  /** @throws {RequestRefused} 404 if the caller has no such execution, 409 while it has no result */
  const resultOf = async (
    token: PresentedKey | undefined,
    { id, wait, reply }: { readonly id: string; readonly wait: number; readonly reply: FastifyReply },
  ): Promise<Result> => {
    await submissions.checkOwner(await callers.identify(token, 'read'), id)
    const result = await resultWithin(client, id, wait, { gone: untilDisconnect(reply), closing })
    if (result !== undefined) return result
    if ((await client.state(id)) === 'unknown') throw unknownExecution(id)
    const detail = `The execution ${id} is not finished; its outputs and files can be downloaded afterwards.`
    throw new RequestRefused({ status: 409, code: 'not_finished', detail, retryAfterSeconds: 1 })
  }

  http.get(
    '/v1/executions/:id/output/:stream',
    {
      schema: {
        operationId: 'downloadOutput',
        summary: 'Download the output of a program',
        description:
          'The bytes of `stdout` or `stderr`, or the output of the compiler (`compile`), as stored in the result.',
        params: z.object({
          ...idPath.shape,
          stream: z.enum(STREAMS, { error: `must be one of ${STREAMS.join(', ')}` }),
        }),
        querystring: waitQuery,
        response: responses,
      },
    },
    async ({ params: { id, stream }, query, token }, reply) => {
      const result = await resultOf(token, { id, wait: query.wait, reply })
      return reply.headers(attachmentHeaders(`${id}.${stream}`)).send(outputOf(result, stream) as never)
    },
  )

  http.get(
    '/v1/executions/:id/files/*',
    {
      schema: {
        operationId: 'downloadFile',
        summary: 'Download a file of a program',
        description: 'The bytes of a file that the job names in `fetchFiles`, by its path.',
        params: z.object({ ...idPath.shape, '*': textParameter('must be the path of a file', 255) }),
        querystring: waitQuery,
        response: responses,
      },
    },
    async ({ params: { id, '*': path }, query, token }, reply) => {
      const { files = {} } = await resultOf(token, { id, wait: query.wait, reply })
      const file = Object.hasOwn(files, path) ? files[path] : undefined
      if (file === undefined) {
        const detail = `The execution ${id} has no file ${JSON.stringify(path)} among its fetched files.`
        throw new RequestRefused({ status: 404, code: 'unknown_file', detail })
      }
      const name = path.slice(path.lastIndexOf('/') + 1)
      return reply.headers(attachmentHeaders(name)).send(Buffer.from(file.content, 'base64') as never)
    },
  )
}

function outputOf(result: Result, stream: (typeof STREAMS)[number]): Buffer {
  if (stream === 'compile') return Buffer.from(result.compileOutput ?? '')
  const raw = result.raw?.[stream]
  return raw === undefined ? Buffer.from(result[stream]) : Buffer.from(raw, 'base64')
}
