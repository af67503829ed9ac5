import type { Result } from '@isopod/client'
import type { WebhookContent } from '@isopod/webhooks'
import { callbackView, isSubmission } from '../routes/drop-in/judge0/callback.ts'
import { finishedExecution } from '../routes/execution-body.ts'

/**
 * The webhook of a finished execution: Judge0's callback if it was a Judge0 submission, else an event of Standard
 * Webhooks.
 */
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
