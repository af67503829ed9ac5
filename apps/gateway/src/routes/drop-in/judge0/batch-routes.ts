import { z } from 'zod'
import type { GatewayParts } from '../../../gateway-parts.ts'
import type { Http } from '../../../http/create-http.ts'
import { documented } from '../../../http/documented.ts'
import { badRequest, RequestRefused } from '../../../http/problem.ts'
import type { UncheckedJob } from '../../../submissions.ts'
import { type Judge0Errors, judge0Errors } from './refusals.ts'
import { jobOfSubmission, type SubmissionContext } from './submission-job.ts'
import { MAX_BATCH } from './submission-limits.ts'
import { findSubmission, knownFields, NOT_UTF8, submissionQuery } from './submission-requests.ts'
import { submissionSchema } from './submission-schema.ts'
import { submissionView } from './submission-view.ts'

const TOO_MANY = `number of submissions in a batch should be less than or equal to ${MAX_BATCH}`
const NONE = 'there should be at least one submission in a batch'

const batchSchema = z.object({ submissions: z.array(submissionSchema).min(1).max(MAX_BATCH) })

/** `/submissions/batch`. As in Judge0, an invalid submission does not affect the others. */
export function submissionBatchRoutes(http: Http, parts: GatewayParts): void {
  const { callers, client, submissions, callbackRule } = parts
  const summary = `Judge0: create up to ${MAX_BATCH} submissions`
  const create = { summary, body: documented(batchSchema), querystring: submissionQuery }
  http.post('/submissions/batch', { schema: create }, async (request, reply) => {
    const caller = await callers.identify(request.token, 'submit')
    const inputs = submissionsOf(request.body)
    const base64 = request.query.base64_encoded === 'true'
    const context = { base64, offered: await client.languages(), createdAt: new Date(), callbackRule }
    const read = await Promise.all(inputs.map((input) => jobOrErrors(input, context)))
    const jobs = read.flatMap((one) => ('job' in one ? [one.job] : []))
    if (jobs.length === 0) {
      reply.code(422)
      return read.map((one) => ('errors' in one ? one.errors : {}))
    }
    const tokens = await submissions.submitMany(caller, jobs)
    let next = 0
    reply.code(201)
    return read.map((one) => ('errors' in one ? one.errors : { token: tokens[next++] }))
  })

  const query = submissionQuery.extend({ tokens: z.string().max(4096).optional() })
  const get = { summary: `Judge0: get up to ${MAX_BATCH} submissions`, querystring: query }
  http.get('/submissions/batch', { schema: get }, async (request) => {
    const caller = await callers.identify(request.token, 'read')
    const fields = knownFields(request.query.fields)
    const base64 = request.query.base64_encoded === 'true'
    const tokens = (request.query.tokens ?? '').split(',').filter((token) => token !== '')
    if (tokens.length > MAX_BATCH) throw badRequest(TOO_MANY)
    if (tokens.length === 0) throw badRequest(NONE)
    const known = await Promise.all(tokens.map((token) => findSubmission(parts, caller, token)))
    const views = known.map((one) => (one === undefined ? null : submissionView(one, fields, base64)))
    if (views.includes(undefined)) {
      throw badRequest(`some attributes for one or more submissions ${NOT_UTF8}`)
    }
    return { submissions: views }
  })
}

/** @throws {RequestRefused} 400 if there are no submissions, or too many */
function submissionsOf(body: unknown): unknown[] {
  const given = typeof body === 'object' && body !== null && 'submissions' in body ? body.submissions : []
  if (!Array.isArray(given) || given.length === 0) throw badRequest(NONE)
  if (given.length > MAX_BATCH) throw badRequest(TOO_MANY)
  return given
}

async function jobOrErrors(
  input: unknown,
  context: SubmissionContext,
): Promise<{ job: UncheckedJob } | { errors: Judge0Errors }> {
  try {
    return { job: await jobOfSubmission(input, context) }
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 422) return { errors: judge0Errors(error) }
    throw error
  }
}
