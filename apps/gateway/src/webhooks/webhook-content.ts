import type { Result } from '@isopod/client'
import type { WebhookContent } from '@isopod/webhooks'
import { callbackView, isSubmission } from '../routes/drop-in/judge0/callback.ts'
import { finishedExecution } from '../routes/execution-body.ts'

/** What is sent of a finished execution: in Judge0's way if it came in through that door, else an event of Standard Webhooks. */
export function webhookContent(
  result: Result,
  { id, finishedAt }: { readonly id: string; readonly finishedAt: number },
): WebhookContent {
  if (isSubmission(result)) return { method: 'PUT', body: JSON.stringify(callbackView(result)) }
  const event = {
    type: 'execution.finished',
    timestamp: new Date(finishedAt).toISOString(),
    data: finishedExecution(id, result),
  }
  return { method: 'POST', body: JSON.stringify(event) }
}
