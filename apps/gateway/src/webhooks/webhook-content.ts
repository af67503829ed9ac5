import type { Result } from '@isopod/client'
import { resultSchema } from '@isopod/protocol'
import type { WebhookContent } from '@isopod/webhooks'
import { z } from 'zod'
import { callbackView, isSubmission } from '../routes/drop-in/judge0/callback.ts'
import { executionSchema, finishedExecution } from '../routes/execution-body.ts'

const eventSchema = z.object({
  type: z.literal('execution.finished'),
  timestamp: z.iso.datetime().describe('When the execution was finished'),
  data: z
    .object({ ...executionSchema.shape, state: z.literal('finished'), result: resultSchema })
    .describe('The body of `GET /v1/executions/{id}`'),
})

/**
 * The webhook of a finished execution: Judge0's callback if it was a Judge0 submission, else an event of Standard
 * Webhooks.
 */
export function webhookContent(
  result: Result,
  { id, finishedAt }: { readonly id: string; readonly finishedAt: number },
): WebhookContent {
  if (isSubmission(result)) return { method: 'PUT', body: JSON.stringify(callbackView(result)) }
  const event: z.input<typeof eventSchema> = {
    type: 'execution.finished',
    timestamp: new Date(finishedAt).toISOString(),
    data: finishedExecution(id, result),
  }
  return { method: 'POST', body: JSON.stringify(event) }
}

const HEADERS = {
  'webhook-id': 'Id of the execution, the same in each attempt: ignore one that you have handled',
  'webhook-timestamp':
    'Time of the attempt in seconds since 1970: refuse one that is more than 5 minutes off',
  'webhook-signature':
    'One or more `v1,<base64>` separated by spaces: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>` with the secret of the tenant, `whsec_<base64>`',
}

/** The OpenAPI document's section about the webhook. */
export function describeWebhook() {
  const { $schema: _, ...schema } = z.toJSONSchema(eventSchema, { unrepresentable: 'any' })
  return {
    executionFinished: {
      post: {
        operationId: 'executionFinished',
        summary: 'An execution is finished whose job has a `callbackUrl`',
        description:
          'Sent to the `callbackUrl` at least once, signed as Standard Webhooks, if the gateway has a webhook secret. A submission through the drop-in of Judge0 gets the `PUT` request of Judge0 instead, with the same headers.',
        security: [],
        parameters: Object.entries(HEADERS).map(([name, description]) => ({
          ...{ in: 'header' as const, name, description, required: true },
          schema: { type: 'string' as const },
        })),
        requestBody: { required: true, content: { 'application/json': { schema: schema as object } } },
        responses: {
          '2XX': { description: 'It was received' },
          '410': { description: 'It is not sent again' },
          default: { description: 'It is sent again later, up to the maximum number of attempts' },
        },
      },
    },
  }
}
