import { z } from 'zod'
import type { Caller } from '../../../callers.ts'
import { RequestRefused } from '../../../http/problem.ts'
import type { GatewayParts } from '../../../server.ts'
import { type KnownSubmission, requestedFields } from './submission-view.ts'

/** What is said of texts that cannot be sent as they are. */
export const NOT_UTF8 = 'cannot be converted to UTF-8, use base64_encoded=true query parameter'

/** Longest id of an execution. */
export const MAX_TOKEN = 128

/** Parameters of requests for submissions; Judge0 takes anything but `true` for false. */
export const submissionQuery = z.object({
  base64_encoded: z.string().optional(),
  fields: z.string().max(1024).optional(),
  wait: z.string().optional(),
})

/** What is known of a submission; undefined if there is none, or it is another tenant's. */
export async function findSubmission(
  { client, submissions }: GatewayParts,
  caller: Caller,
  token: string,
): Promise<KnownSubmission | undefined> {
  if (token.length > MAX_TOKEN) return undefined
  try {
    await submissions.checkOwner(caller, token)
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 404) return undefined
    throw error
  }
  const result = await client.result(token)
  if (result !== undefined) return { token, state: 'finished', result }
  const state = await client.state(token)
  if (state === 'unknown') return undefined
  if (state !== 'finished') return { token, state, result: undefined }
  // It finished between the two questions.
  const late = await client.result(token)
  return late && { token, state, result: late }
}

/** @throws {RequestRefused} 400 naming the fields that cannot be had */
export function knownFields(text: string | undefined) {
  const asked = requestedFields(text)
  if ('fields' in asked) return asked.fields
  throw badRequest(`invalid fields: [${asked.unknown.join(', ')}]`)
}

/** Judge0's refusal of a request that is not about one field of a submission. */
export function badRequest(detail: string): RequestRefused {
  return new RequestRefused({ status: 400, code: 'invalid_request', detail })
}
