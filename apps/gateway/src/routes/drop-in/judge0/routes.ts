import { VERSION } from '@isopod/protocol'
import { z } from 'zod'
import type { GatewayParts } from '../../../gateway-parts.ts'
import type { Http } from '../../../http/create-http.ts'
import { untilDisconnect } from '../../../http/disconnect.ts'
import { documented } from '../../../http/documented.ts'
import { PresentedKey } from '../../../http/presented-key.ts'
import { badRequest, RequestRefused } from '../../../http/problem.ts'
import { unknownExecution } from '../../../submissions.ts'
import { submissionBatchRoutes } from './batch-routes.ts'
import { configInfo } from './config-info.ts'
import { judge0LanguageEntries } from './languages.ts'
import { JUDGE0_STATUSES } from './statuses.ts'
import { jobOfSubmission } from './submission-job.ts'
import { findSubmission, knownFields, MAX_TOKEN, NOT_UTF8, submissionQuery } from './submission-requests.ts'
import { submissionSchema } from './submission-schema.ts'
import { submissionView } from './submission-view.ts'

/** The release of Judge0 whose API is served. */
const JUDGE0_VERSION = '1.13.1'

/** Judge0's API: submissions, languages, statuses. */
export function judge0Routes(http: Http, parts: GatewayParts): void {
  http.addHook('onRequest', async (request) => {
    const token = request.headers['x-auth-token']
    if (typeof token === 'string') request.token ??= new PresentedKey(token)
  })
  submissionRoutes(http, parts)
  submissionBatchRoutes(http, parts)
  listRoutes(http, parts)
}

function submissionRoutes(http: Http, parts: GatewayParts): void {
  const { callers, client, submissions, callbackRule } = parts
  const summary = 'Judge0: create a submission'
  const create = { summary, body: documented(submissionSchema), querystring: submissionQuery }
  http.post('/submissions', { schema: create }, async (request, reply) => {
    const caller = await callers.identify(request.token, 'submit')
    const { base64_encoded: base64Text, wait, fields: fieldsText } = request.query
    const base64 = base64Text === 'true'
    const fields = knownFields(fieldsText)
    const offered = await client.languages()
    const context = { base64, offered, createdAt: new Date(), callbackRule }
    const job = await jobOfSubmission(request.body, context)
    reply.code(201)
    if (wait !== 'true') {
      const token = await submissions.submit(caller, job)
      return { token }
    }
    const result = await submissions.run(caller, job, untilDisconnect(reply))
    const { id: token } = result
    const view = submissionView({ token, state: 'finished', result }, fields, base64)
    return view ?? { token, error: `some attributes for this submission ${NOT_UTF8}` }
  })

  const params = z.object({ token: z.string().min(1).max(MAX_TOKEN) })
  const read = { summary: 'Judge0: get a submission', params, querystring: submissionQuery }
  http.get('/submissions/:token', { schema: read }, async (request) => {
    const caller = await callers.identify(request.token, 'read')
    const fields = knownFields(request.query.fields)
    const { token } = request.params
    const known = await findSubmission(parts, caller, token)
    if (known === undefined) throw unknownExecution(token)
    const view = submissionView(known, fields, request.query.base64_encoded === 'true')
    if (view !== undefined) return view
    throw badRequest(`some attributes for this submission ${NOT_UTF8}`)
  })

  const remove = { summary: 'Judge0: delete a submission; not allowed', params }
  http.delete('/submissions/:token', { schema: remove }, async (request) => {
    await callers.identify(request.token, 'submit')
    throw badRequest('delete not allowed')
  })
}

/** `/languages`, `/statuses`, `/about` and `/config_info`. */
function listRoutes(http: Http, { callers, client, config }: GatewayParts): void {
  const entries = async (token: PresentedKey | undefined) => {
    await callers.identify(token, 'read')
    return judge0LanguageEntries((await client.languages()) ?? [])
  }
  http.get('/languages', { schema: { summary: 'Judge0: active languages' } }, async (request) => {
    const all = await entries(request.token)
    return all.flatMap(({ id, name, is_archived }) => (is_archived ? [] : [{ id, name }]))
  })
  const archived = { summary: 'Judge0: active and archived languages' }
  http.get('/languages/all', { schema: archived }, async (request) => entries(request.token))
  const params = z.object({ id: z.string().max(32) })
  const one = { summary: 'Judge0: a language', params }
  http.get('/languages/:id', { schema: one }, async (request) => {
    const all = await entries(request.token)
    const entry = all.find(({ id }) => String(id) === request.params.id)
    if (entry !== undefined) return entry
    const detail = `language with id ${request.params.id} doesn't exist`
    throw new RequestRefused({ status: 404, code: 'not_found', detail })
  })
  http.get('/statuses', { schema: { summary: 'Judge0: statuses' } }, async (request) => {
    await callers.identify(request.token, 'read')
    return JUDGE0_STATUSES
  })
  http.get('/about', { schema: { summary: 'Judge0: about' } }, async (request) => {
    await callers.identify(request.token, 'read')
    return { version: JUDGE0_VERSION, implementation: `isopod ${VERSION}` }
  })
  http.get(
    '/config_info',
    { schema: { summary: 'Judge0: what submissions may ask for' } },
    async (request) => {
      await callers.identify(request.token, 'read')
      return configInfo(config.webhooks)
    },
  )
}
