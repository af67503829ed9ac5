import type { IsopodClient } from '@isopod/client'
import { jobSchema, type Result, resultSchema } from '@isopod/protocol'
import { z } from 'zod'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { documented } from '../http/documented.ts'
import { problemSchema, RequestRefused } from '../http/problem.ts'
import type { GatewayParts } from '../server.ts'
import { type UncheckedJob, unknownExecution } from '../submissions.ts'

/** Longest time that a request waits for a result, in seconds. */
const MAX_WAIT_SECONDS = 60
/** Jobs of one request. */
export const MAX_JOBS = 1000

const executionSchema = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'running', 'finished']),
  /** Null until the execution is finished. */
  result: resultSchema.nullable(),
})

type ExecutionBody = z.infer<typeof executionSchema>

const params = z.object({ id: z.string().min(1).max(128) })
/** How long a request waits. */
export const waitQuery = z.strictObject({
  wait: z.coerce.number().min(0).max(MAX_WAIT_SECONDS).default(0).describe('Seconds to wait for the result'),
})
const listQuery = z.strictObject({
  label: z
    .string()
    .regex(/^[^=]+=/, { error: 'must be name=value' })
    .optional(),
  tenant: z.string().max(64).optional().describe('For callers that see more than one; default: "default"'),
  cursor: z.string().max(128).optional().describe('`cursor` of the page before'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
const refusals = {
  400: problemSchema,
  401: problemSchema,
  403: problemSchema,
  404: problemSchema,
  429: problemSchema,
  503: problemSchema,
}

/** `/v1/executions`: submit, read, list, cancel. */
export function executionRoutes(http: Http, parts: GatewayParts): void {
  const { client, callers, submissions, access } = parts

  http.post(
    '/v1/executions',
    {
      schema: {
        summary: 'Submit one job',
        description: `Answers 202 at once, or, with \`wait\`, 200 with the result if it comes in time.`,
        body: documented(jobSchema),
        querystring: waitQuery,
        response: { 200: executionSchema, 202: executionSchema, ...refusals },
      },
    },
    async (request, reply) => {
      const caller = await callers.identify(request.token, 'submit')
      const id = await submissions.submit(caller, request.body as UncheckedJob)
      reply.header('location', `/v1/executions/${id}`)
      const { wait } = request.query
      const result = wait > 0 ? await resultWithin(client, id, wait, untilDisconnect(reply)) : undefined
      reply.code(result === undefined ? 202 : 200)
      return result === undefined ? { id, state: 'waiting' as const, result: null } : finished(id, result)
    },
  )

  http.post(
    '/v1/executions/many',
    {
      schema: {
        summary: `Submit up to ${MAX_JOBS} jobs`,
        description: 'If one is invalid, none is enqueued.',
        body: documented(z.strictObject({ jobs: z.array(jobSchema).min(1).max(MAX_JOBS) })),
        response: { 202: z.object({ ids: z.array(z.string()) }), ...refusals },
      },
    },
    async (request, reply) => {
      const caller = await callers.identify(request.token, 'submit')
      const ids = await submissions.submitMany(caller, jobsOf(request.body))
      reply.code(202)
      return { ids }
    },
  )

  http.get(
    '/v1/executions/:id',
    {
      schema: {
        summary: 'Read an execution',
        params,
        querystring: waitQuery,
        response: { 200: executionSchema, ...refusals },
      },
    },
    async (request, reply): Promise<ExecutionBody> => {
      const caller = await callers.identify(request.token, 'read')
      const { id } = request.params
      await submissions.checkOwner(caller, id)
      const { wait } = request.query
      const result =
        wait > 0 ? await resultWithin(client, id, wait, untilDisconnect(reply)) : await client.result(id)
      if (result !== undefined) return finished(id, result)
      const state = await client.state(id)
      if (state === 'unknown') throw unknownExecution(id)
      if (state !== 'finished') return { id, state, result: null }
      // It finished between the two questions.
      const late = await client.result(id)
      if (late === undefined) throw unknownExecution(id)
      return finished(id, late)
    },
  )

  http.get(
    '/v1/executions',
    {
      schema: {
        summary: 'List the executions of a tenant, the newest first',
        description: 'Those that came through a gateway and whose results are kept.',
        querystring: listQuery,
        response: {
          200: z.object({
            executions: z.array(z.object({ id: z.string(), submittedAt: z.iso.datetime() })),
            cursor: z.string().nullable(),
          }),
          ...refusals,
        },
      },
    },
    async (request) => {
      const caller = await callers.identify(request.token, 'read')
      const { label, cursor, limit, tenant = caller.tenant ?? 'default' } = request.query
      if (caller.tenant !== undefined && tenant !== caller.tenant) {
        const detail = `tenant: this API key reads ${caller.tenant} only`
        throw new RequestRefused({ status: 403, code: 'forbidden', detail })
      }
      const page = await access.executions.list(tenant, {
        limit,
        ...(label !== undefined && { label }),
        ...(cursor !== undefined && { cursor }),
      })
      return {
        executions: page.executions.map(({ id, submittedAt }) => ({
          id,
          submittedAt: new Date(submittedAt).toISOString(),
        })),
        cursor: page.cursor ?? null,
      }
    },
  )

  http.delete(
    '/v1/executions/:id',
    {
      schema: {
        summary: 'Cancel an execution',
        params,
        response: { 200: z.object({ id: z.string(), outcome: z.string() }), ...refusals },
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

/** The result if it comes in time; undefined if not. */
async function resultWithin(
  client: IsopodClient,
  id: string,
  seconds: number,
  gone: AbortSignal,
): Promise<Result | undefined> {
  const late = AbortSignal.timeout(seconds * 1000)
  try {
    return await client.wait(id, { signal: AbortSignal.any([late, gone]) })
  } catch (error) {
    if (late.aborted) return undefined
    throw error
  }
}

function finished(id: string, result: Result): ExecutionBody {
  return { id, state: 'finished', result }
}

/** @throws {RequestRefused} if the body is no list of jobs; what is in it is the client's to check */
function jobsOf(body: unknown): UncheckedJob[] {
  const jobs = typeof body === 'object' && body !== null && 'jobs' in body ? body.jobs : undefined
  if (Array.isArray(jobs) && jobs.length > 0 && jobs.length <= MAX_JOBS) return jobs
  const message = `jobs: must be a list of 1 to ${MAX_JOBS} jobs`
  const errors = [{ field: 'jobs', message }]
  throw new RequestRefused({ status: 400, code: 'invalid_request', detail: message, errors })
}
