import { documentedExitCode, fields, integerBetween, jobSchema, type Result } from '@isopod/protocol'
import { z } from 'zod'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Http } from '../http/create-http.ts'
import { untilDisconnect } from '../http/disconnect.ts'
import { parseJsonBody } from '../http/json-body.ts'
import { BODY_REFUSALS } from '../http/refusals.ts'

/** The request that the service plan specifies, with an optional `policy`. */
const requestSchema = fields({
  language: z.string({ error: 'must be text' }).default('python'),
  code: z.string({ error: 'must be text' }).describe('Program text, 1 byte to 1 MiB'),
  timeout_seconds: integerBetween(1, 60).default(30),
  memory_mb: integerBetween(64, 512).default(256),
  input_data: z.unknown().optional().describe('JSON; the variable `input_data` of the program'),
  policy: jobSchema.shape.policy.unwrap().optional(),
}).meta({ examples: [{ code: 'print(sum(input_data["nums"]))', input_data: { nums: [1, 2, 3] } }] })

/** The response that the service plan specifies. */
const responseSchema = z.object({
  success: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z
    .number()
    .int()
    .describe('128 + n if signal n ended the program; -1 after a timeout, and if nothing ran'),
  execution_time_ms: z.number().int(),
  error: z.string().nullable(),
  validation_errors: z.array(z.string()).nullable(),
})

type ExecuteResponse = z.infer<typeof responseSchema>

const responses = { 200: responseSchema, ...BODY_REFUSALS }

/** The routes of the service plan, the specification that they implement: `POST /execute` and `GET /health`. */
export function executeRoutes(http: Http, { client, callers, submissions, config }: GatewayParts): void {
  http.register(async (scope) => {
    const plan = scope as Http
    // The plan's examples send JSON with curl's default Content-Type.
    plan.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'text/plain'],
      { parseAs: 'buffer' },
      async (_: unknown, body: Buffer) => parseJsonBody(body),
    )
    const schema = {
      operationId: 'execute',
      summary: 'Run a program and wait for its end',
      body: requestSchema,
      response: responses,
    }
    plan.post('/execute', { schema }, async (request, reply) => {
      const caller = await callers.identify(request.token, 'submit')
      const { body } = request
      const job = {
        language: body.language,
        code: body.code,
        limits: { timeoutSeconds: body.timeout_seconds, memoryMb: body.memory_mb },
        policy: body.policy ?? config.executePolicy,
        inputData: (body.input_data === undefined ? {} : body.input_data) as z.core.util.JSONType,
      }
      return planResponse(await submissions.run(caller, job, untilDisconnect(reply)))
    })
  })

  const healthSchema = z.object({ status: z.enum(['healthy', 'unhealthy']) })
  const schema = {
    operationId: 'health',
    summary: 'Whether jobs can be taken',
    response: { 200: healthSchema, 503: healthSchema },
  }
  http.get('/health', { schema }, async (_, reply) => {
    try {
      await client.queue()
      return { status: 'healthy' as const }
    } catch {
      return reply.code(503).send({ status: 'unhealthy' as const })
    }
  })
}

function planResponse(result: Result): ExecuteResponse {
  const { status, validationErrors } = result
  return {
    success: status === 'success',
    stdout: result.stdout,
    stderr: result.stderr || (result.compileOutput ?? ''),
    exit_code: documentedExitCode(result, status),
    execution_time_ms: Math.round(result.wallMs ?? 0),
    error: result.errorMessage,
    validation_errors: validationErrors.length === 0 ? null : withoutRepeats(validationErrors),
  }
}

/** Drops findings about functions of a module that is blocked as a whole, as the plan does. */
function withoutRepeats(sentences: readonly string[]): string[] {
  return sentences.filter((sentence) => {
    const [, module] = /^Blocked function: ([\w.]+)\.\w+$/.exec(sentence) ?? []
    return module === undefined || !sentences.includes(`Blocked import: ${module}`)
  })
}
