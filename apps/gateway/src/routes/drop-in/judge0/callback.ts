import type { Result } from '@isopod/client'
import { JUDGE0_LABELS } from './submission-job.ts'
import { DEFAULT_FIELDS, submissionView } from './submission-view.ts'

/** Whether an execution was a Judge0 submission. */
export function isSubmission(result: Result): boolean {
  return result.labels?.[JUDGE0_LABELS.languageId] !== undefined
}

/** The body that Judge0 sends to a `callback_url`: the default fields, texts in base64. */
export function callbackView(result: Result): Record<string, unknown> {
  return submissionView({ token: result.id, state: 'finished', result }, DEFAULT_FIELDS, true) ?? {}
}
