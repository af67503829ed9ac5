import type { JobFilter } from '@isopod/client'
import { fields } from '@isopod/protocol'
import { z } from 'zod'
import type { Caller } from '../callers.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Http } from '../http/create-http.ts'
import { textParameter, wholeParameter } from '../http/parameters.ts'
import { invalidField, RequestRefused } from '../http/problem.ts'
import { REFUSALS } from '../http/refusals.ts'

const LABEL_RULE = 'must be name=value'

/** Query parameters that select jobs. */
const filterParameters = {
  batchId: name(128).optional(),
  label: z
    .string({ error: LABEL_RULE })
    .regex(/^[^=]+=/, { error: LABEL_RULE })
    .optional(),
  replyTo: name(64).optional().describe('Name of the results queue'),
  tenant: name(64).optional().describe('Another tenant needs access to all tenants'),
}
const cancelQuery = fields(filterParameters)
const listQuery = fields({
  ...filterParameters,
  cursor: textParameter('must be the cursor of the page before', 200)
    .optional()
    .describe('`cursor` of the page before'),
  limit: wholeParameter(1, 1000).default(100),
})
const queuedSchema = z.object({
  id: z.string(),
  state: z
    .enum(['running', 'next', 'waiting', 'delayed'])
    .describe('`next`: before all turns; `delayed`: until a time, or until a running execution ends'),
  submittedAt: z.iso.datetime(),
  turn: z.number().optional().describe('Of a waiting one: smaller numbers come first'),
  delayedUntil: z.iso.datetime().optional().describe('Of a delayed one: when it waits again at the latest'),
  language: z.string(),
  tenant: z.string(),
  batchId: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  replyTo: z.string(),
})
const count = z.int().min(0)

/** Lists and cancels executions without a result, by batch, label or results queue. */
export function queuedRoutes(http: Http, { client, callers }: GatewayParts): void {
  http.get(
    '/v1/queue/executions',
    {
      schema: {
        operationId: 'listQueue',
        summary: 'List the executions that wait, in the order of the queue, then those that run',
        description: 'One that moves meanwhile may be listed twice or not at all.',
        querystring: listQuery,
        response: {
          200: z.object({ executions: z.array(queuedSchema), cursor: z.string().nullable() }),
          ...REFUSALS,
        },
      },
    },
    async (request) => {
      const caller = await callers.identify(request.token, 'read')
      const { limit, cursor, ...given } = request.query
      const page = await client.jobs({ ...filterFor(caller, given), limit, cursor })
      const executions = page.jobs.map(({ submittedAt, delayedUntil, labels, ...job }) => ({
        ...job,
        submittedAt: timeOf(submittedAt),
        ...(delayedUntil !== undefined && { delayedUntil: timeOf(delayedUntil) }),
        ...(labels !== undefined && { labels: { ...labels } }),
      }))
      return { executions, cursor: page.cursor ?? null }
    },
  )

  http.delete(
    '/v1/executions',
    {
      schema: {
        operationId: 'cancelExecutions',
        summary: 'Cancel all executions of a batch, label or results queue',
        description: 'Those that agree with each given parameter. Needs `batchId`, `label` or `replyTo`.',
        querystring: cancelQuery,
        response: {
          200: z.object({
            cancelled: count.describe('They were waiting'),
            requested: count.describe('They were running; their workers cancel them'),
          }),
          ...REFUSALS,
        },
      },
    },
    async (request) => {
      const caller = await callers.identify(request.token, 'submit')
      const { batchId, label, replyTo } = request.query
      if (batchId === undefined && label === undefined && replyTo === undefined) {
        throw invalidField('batchId', 'must be given, or label or replyTo')
      }
      return await client.cancelJobs(filterFor(caller, request.query))
    },
  )
}

/**
 * The filter of a request, within the caller's tenant.
 *
 * @throws {RequestRefused} 403 for another tenant
 */
function filterFor(
  caller: Caller,
  { label, tenant = caller.tenant, ...names }: z.infer<typeof cancelQuery>,
): JobFilter {
  if (caller.tenant !== undefined && tenant !== caller.tenant) {
    const detail = `tenant: this caller reads and cancels executions of ${caller.tenant} only`
    throw new RequestRefused({ status: 403, code: 'forbidden', detail })
  }
  const end = label?.indexOf('=') ?? 0
  return { ...names, tenant, ...(label && { labels: { [label.slice(0, end)]: label.slice(end + 1) } }) }
}

/** A time from the queue, which other programs can write to. */
function timeOf(milliseconds: number): string {
  const time = new Date(milliseconds)
  return (Number.isNaN(time.getTime()) ? new Date(0) : time).toISOString()
}

function name(maxLength: number) {
  const rule = `must be 1 to ${maxLength} characters`
  return textParameter(rule, maxLength).min(1, { error: rule })
}
