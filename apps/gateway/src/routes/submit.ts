import type { IsopodClient } from '@isopod/client'
import { describeProblems, fields, type JobInput, jobSchema } from '@isopod/protocol'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { documented } from '../http/documented.ts'
import { untilClose } from '../http/event-stream.ts'
import { parseMultipartJob } from '../http/multipart-job.ts'
import { waitQuery } from '../http/parameters.ts'
import { invalidRequest } from '../http/problem.ts'
import { BODY_REFUSALS } from '../http/refusals.ts'
import type { UncheckedJob } from '../submissions.ts'
import {
  executionSchema,
  finishedExecution,
  jobList,
  MAX_JOBS,
  resultWithin,
  submittedSchema,
} from './execution-body.ts'

const EXAMPLES: JobInput[] = [
  { language: 'python', code: 'print(input_data["n"])', inputData: { n: 7 }, limits: { timeoutSeconds: 5 } },
  { language: 'bash', code: 'cat a.txt', files: { 'a.txt': 'text' }, labels: { run: 'nightly' } },
]

/** `POST /v1/executions`, as JSON or with files as `multipart/form-data`, and `POST /v1/executions/many`. */
export function submitRoutes(http: Http, { client, callers, submissions }: GatewayParts): void {
  const closing = untilClose(http)
  http.register(async (scope) => {
    const withFiles = scope as Http
    withFiles.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'buffer' },
      async ({ headers }: FastifyRequest, body: Buffer) =>
        parseMultipartJob(headers['content-type'] ?? '', body),
    )
    withFiles.post(
      '/v1/executions',
      {
        config: { multipart: true },
        schema: {
          operationId: 'submitExecution',
          summary: 'Submit one job',
          description:
            'Answers 202 at once, or, with `wait`, 200 with the result if it comes in time. In `multipart/form-data` the part `job` is the job as JSON; each other part is a file of the job, named by its path.',
          body: documented(jobSchema, EXAMPLES),
          querystring: waitQuery,
          response: { 200: executionSchema, 202: submittedSchema, 409: BODY_REFUSALS[400], ...BODY_REFUSALS },
        },
      },
      async (request, reply) => {
        const caller = await callers.identify(request.token, 'submit')
        const id = await submissions.submit(caller, request.body as UncheckedJob)
        reply.header('location', `/v1/executions/${id}`)
        const { wait } = request.query
        const result =
          wait > 0
            ? await resultWithin(client, id, wait, { gone: untilDisconnect(reply), closing })
            : undefined
        if (result !== undefined) return finishedExecution(id, result)
        reply.code(202)
        const isRunning = wait > 0 && (await stateOf(client, id)) === 'running'
        const state = isRunning ? ('running' as const) : ('waiting' as const)
        return { id, state, result: null, ...(await submissions.outlook()) }
      },
    )
  })

  http.post(
    '/v1/executions/many',
    {
      schema: {
        operationId: 'submitExecutions',
        summary: `Submit up to ${MAX_JOBS} jobs`,
        description: 'If one is invalid, none is enqueued.',
        body: documented(fields({ jobs: jobList(jobSchema) })),
        response: {
          202: z.object({ ids: z.array(z.string()) }),
          409: BODY_REFUSALS[400],
          ...BODY_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const caller = await callers.identify(request.token, 'submit')
      const ids = await submissions.submitMany(caller, jobsOf(request.body))
      reply.code(202)
      return { ids }
    },
  )
}

/** The state of an execution; undefined while Redis is unavailable. */
async function stateOf(client: IsopodClient, id: string) {
  return await client.state(id).catch(() => undefined)
}

const jobsBody = fields({ jobs: jobList(z.unknown()) })

/** Reads the list of jobs; the client validates each job. @throws {RequestRefused} if the body is not a list of jobs */
function jobsOf(body: unknown): UncheckedJob[] {
  const parsed = jobsBody.safeParse(body)
  if (parsed.success) return parsed.data.jobs as UncheckedJob[]
  throw invalidRequest(describeProblems(parsed.error, body, 'body'))
}
