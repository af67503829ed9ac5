import { z } from 'zod'

const MAX_CALLBACK_URL = 2048
const FORM = 'must be an http or https URL'

/**
 * A URL that receives webhooks. It may contain no user and password: lists show URLs, and the signature authenticates the
 * sender. The deployment decides which hosts may be called.
 */
export const callbackUrlSchema = z
  .string({ error: FORM })
  .max(MAX_CALLBACK_URL, { error: `must be at most ${MAX_CALLBACK_URL} characters`, abort: true })
  .regex(/^https?:\/\/[^\s]+$/, { error: FORM, abort: true })
  .superRefine((text, context) => {
    const problem = urlProblem(text)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null) return FORM
  if (url.username !== '' || url.password !== '') return 'must have no user and password'
  if (url.port === '0') return 'must have a port from 1 to 65535'
  return undefined
}
