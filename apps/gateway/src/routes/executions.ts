import { fields, openList, STATUSES } from '@isopod/protocol'
import { z } from 'zod'
import { DetailsReader } from '../execution-details.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { untilClose } from '../http/event-stream.ts'
import { idPath, textParameter, waitQuery, wholeParameter } from '../http/parameters.ts'
import { RequestRefused } from '../http/problem.ts'
import { ID_REFUSALS, REFUSALS } from '../http/refusals.ts'
import { unknownExecution } from '../submissions.ts'
import { type ExecutionBody, executionSchema, finishedExecution, resultWithin } from './execution-body.ts'

const listQuery = fields({
  label: z
    .string({ error: 'must be name=value' })
    .regex(/^[^=]+=/, { error: 'must be name=value' })
    .optional(),
  tenant: textParameter('must be the name of one tenant', 64)
    .optional()
    .describe('Another tenant needs access to all tenants; default: "default"'),
  cursor: textParameter('must be the cursor of the page before', 128)
    .optional()
    .describe('`cursor` of the page before'),
  limit: wholeParameter(1, 200).default(50),
  details: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .describe('Add state, status, language and wall time of each execution'),
})
const listedSchema = z.object({
  id: z.string(),
  submittedAt: z.iso.datetime(),
  /** This and the following fields only with `details`. */
  state: z.enum(['waiting', 'running', 'finished', 'unknown']).optional(),
  status: openList(STATUSES).nullable().optional(),
  language: z.string().nullable().optional(),
  wallMs: z.number().nullable().optional(),
})

/** `/v1/executions`: read, list, cancel. */
export function executionRoutes(http: Http, parts: GatewayParts): void {
  const { client, callers, submissions, access } = parts
  const detailsReader = new DetailsReader(client)
  const closing = untilClose(http)

  http.get(
    '/v1/executions/:id',
    {
      schema: {
        operationId: 'readExecution',
        summary: 'Read an execution',
        params: idPath,
        querystring: waitQuery,
        response: { 200: executionSchema, ...ID_REFUSALS },
      },
    },
    async (request, reply): Promise<ExecutionBody> => {
      const caller = await callers.identify(request.token, 'read')
      const { id } = request.params
      await submissions.checkOwner(caller, id)
      const { wait } = request.query
      const result = await resultWithin(client, id, wait, { gone: untilDisconnect(reply), closing })
      if (result !== undefined) return finishedExecution(id, result)
      const state = await client.state(id)
      if (state === 'unknown') throw unknownExecution(id)
      if (state !== 'finished') return { id, state, result: null }
      // It finished between the two reads.
      const late = await client.result(id)
      if (late === undefined) throw unknownExecution(id)
      return finishedExecution(id, late)
    },
  )

  http.get(
    '/v1/executions',
    {
      schema: {
        operationId: 'listExecutions',
        summary: 'List the executions of a tenant, the newest first',
        description: 'Only executions that were submitted through a gateway and whose results are kept.',
        querystring: listQuery,
        response: {
          200: z.object({
            executions: z.array(listedSchema),
            cursor: z.string().nullable(),
          }),
          ...REFUSALS,
        },
      },
    },
    async (request) => {
      const caller = await callers.identify(request.token, 'read')
      const { label, cursor, limit, details, tenant = caller.tenant ?? 'default' } = request.query
      if (caller.tenant !== undefined && tenant !== caller.tenant) {
        const detail = `tenant: this caller reads ${caller.tenant} only`
        throw new RequestRefused({ status: 403, code: 'forbidden', detail })
      }
      const page = await access.executions.list(tenant, {
        limit,
        ...(label !== undefined && { label }),
        ...(cursor !== undefined && { cursor }),
      })
      const executions = page.executions.map(async ({ id, submittedAt }) => ({
        id,
        submittedAt: new Date(submittedAt).toISOString(),
        ...(details === 'true' && (await detailsReader.read(id))),
      }))
      return { executions: await Promise.all(executions), cursor: page.cursor ?? null }
    },
  )

  http.delete(
    '/v1/executions/:id',
    {
      schema: {
        operationId: 'cancelExecution',
        summary: 'Cancel an execution',
        params: idPath,
        response: {
          200: z.object({ id: z.string(), outcome: z.enum(['cancelled', 'requested', 'finished']) }),
          ...ID_REFUSALS,
        },
      },
    },
    async (request) => {
      const caller = await callers.identify(request.token, 'submit')
      const { id } = request.params
      await submissions.checkOwner(caller, id)
      const outcome = await client.cancel(id)
      if (outcome === 'unknown') throw unknownExecution(id)
      return { id, outcome }
    },
  )
}
