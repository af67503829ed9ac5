import type { Result } from '@isopod/client'
import { LABELS } from './submission-job.ts'
import { requestedFields, submissionView } from './submission-view.ts'

/** Whether an execution came in as a submission. */
export function isSubmission(result: Result): boolean {
  return result.labels?.[LABELS.languageId] !== undefined
}

/** What Judge0 puts to a `callback_url`: the usual fields, texts in base64. */
export function callbackView(result: Result): Record<string, unknown> {
  const asked = requestedFields(undefined)
  const fields = 'fields' in asked ? asked.fields : []
  return submissionView({ token: result.id, state: 'finished', result }, fields, true) ?? {}
}
