import type { IsopodClient } from '@isopod/client'
import { describeProblems, fields, jobSchema, type Result, resultSchema, STATUSES } from '@isopod/protocol'
import { z } from 'zod'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { documented } from '../http/documented.ts'
import { untilClose } from '../http/event-stream.ts'
import { idPath, textParameter, waitQuery, wholeParameter } from '../http/parameters.ts'
import { invalidRequest, problemSchema, RequestRefused } from '../http/problem.ts'
import type { GatewayParts } from '../server.ts'
import { type UncheckedJob, unknownExecution } from '../submissions.ts'

/** Jobs of one request. */
export const MAX_JOBS = 1000

const executionSchema = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'running', 'finished']),
  /** Null until the execution is finished. */
  result: resultSchema.nullable(),
})

type ExecutionBody = z.infer<typeof executionSchema>

const listQuery = fields({
  label: z
    .string({ error: 'must be name=value' })
    .regex(/^[^=]+=/, { error: 'must be name=value' })
    .optional(),
  tenant: textParameter('must be the name of one tenant', 64)
    .optional()
    .describe('For callers that see more than one; default: "default"'),
  cursor: textParameter('must be the cursor of the page before', 128)
    .optional()
    .describe('`cursor` of the page before'),
  limit: wholeParameter(1, 200).default(50),
  details: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .describe('Also say of each how it stands with it; reads each result'),
})
const listedSchema = z.object({
  id: z.string(),
  submittedAt: z.iso.datetime(),
  /** With `details`: where it is, and of a finished one how it ended. */
  state: z.enum(['waiting', 'running', 'finished', 'unknown']).optional(),
  status: z.enum(STATUSES).nullable().optional(),
  language: z.string().nullable().optional(),
  wallMs: z.number().nullable().optional(),
})
type Listed = z.infer<typeof listedSchema>

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
  // A caller that waits can ask another gateway: it is told at once how far its execution is.
  const closing = untilClose(http)
  /** The result if it comes in time; undefined if not. */
  const resultWithin = async (
    id: string,
    seconds: number,
    gone: AbortSignal,
  ): Promise<Result | undefined> => {
    const late = AbortSignal.any([AbortSignal.timeout(seconds * 1000), closing])
    try {
      return await client.wait(id, { signal: AbortSignal.any([late, gone]) })
    } catch (error) {
      if (late.aborted) return undefined
      throw error
    }
  }

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
      const result = wait > 0 ? await resultWithin(id, wait, untilDisconnect(reply)) : undefined
      if (result !== undefined) return finishedExecution(id, result)
      reply.code(202)
      const isRunning = wait > 0 && (await stateOf(client, id)) === 'running'
      return { id, state: isRunning ? ('running' as const) : ('waiting' as const), result: null }
    },
  )

  http.post(
    '/v1/executions/many',
    {
      schema: {
        summary: `Submit up to ${MAX_JOBS} jobs`,
        description: 'If one is invalid, none is enqueued.',
        body: documented(fields({ jobs: jobList(jobSchema) })),
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
        params: idPath,
        querystring: waitQuery,
        response: { 200: executionSchema, ...refusals },
      },
    },
    async (request, reply): Promise<ExecutionBody> => {
      const caller = await callers.identify(request.token, 'read')
      const { id } = request.params
      await submissions.checkOwner(caller, id)
      const { wait } = request.query
      const result = wait > 0 ? await resultWithin(id, wait, untilDisconnect(reply)) : await client.result(id)
      if (result !== undefined) return finishedExecution(id, result)
      const state = await client.state(id)
      if (state === 'unknown') throw unknownExecution(id)
      if (state !== 'finished') return { id, state, result: null }
      // It finished between the two questions.
      const late = await client.result(id)
      if (late === undefined) throw unknownExecution(id)
      return finishedExecution(id, late)
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
            executions: z.array(listedSchema),
            cursor: z.string().nullable(),
          }),
          ...refusals,
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
        ...(details === 'true' && (await detailsOf(client, id))),
      }))
      return { executions: await Promise.all(executions), cursor: page.cursor ?? null }
    },
  )

  http.delete(
    '/v1/executions/:id',
    {
      schema: {
        summary: 'Cancel an execution',
        params: idPath,
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

/** Where an execution is; undefined while Redis is away. */
async function stateOf(client: IsopodClient, id: string) {
  return await client.state(id).catch(() => undefined)
}

/** How it stands with an execution. */
async function detailsOf(client: IsopodClient, id: string): Promise<Omit<Listed, 'id' | 'submittedAt'>> {
  const result = await client.result(id)
  const { status = null, language = null, wallMs = null } = result ?? {}
  const state = result === undefined ? await client.state(id) : 'finished'
  return { state, status, language, wallMs }
}

/** A finished execution, as it is read and as webhooks send it. */
export function finishedExecution(id: string, result: Result): ExecutionBody {
  return { id, state: 'finished', result }
}

const jobsBody = fields({ jobs: jobList(z.unknown()) })

/** @throws {RequestRefused} if the body is no list of jobs; what is in it is the client's to check */
function jobsOf(body: unknown): UncheckedJob[] {
  const parsed = jobsBody.safeParse(body)
  if (parsed.success) return parsed.data.jobs as UncheckedJob[]
  throw invalidRequest(describeProblems(parsed.error, body, 'body'))
}

/** The jobs of one request. */
export function jobList<Job extends z.ZodType>(job: Job) {
  const error = `must be a list of 1 to ${MAX_JOBS} jobs`
  return z.array(job, { error }).min(1, { error }).max(MAX_JOBS, { error })
}
