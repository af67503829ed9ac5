import { z } from 'zod'
import type { Caller } from '../../../callers.ts'
import type { GatewayParts } from '../../../gateway-parts.ts'
import { badRequest, RequestRefused } from '../../../http/problem.ts'
import { type KnownSubmission, requestedFields } from './submission-view.ts'

/** Judge0's error for output that is not UTF-8. */
export const NOT_UTF8 = 'cannot be converted to UTF-8, use base64_encoded=true query parameter'

/** Maximum length of the id of an execution. */
export const MAX_TOKEN = 128

/** Query parameters of requests for submissions. Judge0 treats any text except `true` as false. */
export const submissionQuery = z.object({
  base64_encoded: z.string().optional(),
  fields: z.string().max(1024).optional(),
  wait: z.string().optional(),
})

/** Finds a submission; undefined if it does not exist or is another tenant's. */
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
  // It finished between the two reads.
  const late = await client.result(token)
  return late && { token, state, result: late }
}

/** Parses `fields`. @throws {RequestRefused} 400 naming the unknown ones */
export function knownFields(text: string | undefined) {
  const asked = requestedFields(text)
  if ('fields' in asked) return asked.fields
  throw badRequest(`invalid fields: [${asked.unknown.join(', ')}]`)
}
