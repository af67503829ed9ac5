import type { GatewayParts } from '../../../gateway-parts.ts'
import type { Http } from '../../../http/create-http.ts'
import { untilDisconnect } from '../../../http/disconnect.ts'
import { documented } from '../../../http/documented.ts'
import type { PresentedKey } from '../../../http/presented-key.ts'
import { badRequest } from '../../../http/problem.ts'
import { parseFields } from '../field-errors.ts'
import { jobOfExecute } from './execute-job.ts'
import { executeResponse } from './execute-response.ts'
import { executeSchema } from './execute-schema.ts'
import { findRuntime, runtimesOf } from './runtimes.ts'

/** The path of Piston's API, and that of its former public host. */
const PREFIXES = ['/api/v2', '/api/v2/piston']

/** Piston's API: execute, runtimes, and packages, which come with the images of workers and are read-only. */
export function pistonRoutes(http: Http, parts: GatewayParts): void {
  for (const prefix of PREFIXES) {
    executeRoute(http, prefix, parts)
    listRoutes(http, prefix, parts)
  }
}

function executeRoute(http: Http, prefix: string, { callers, client, submissions }: GatewayParts): void {
  const schema = { summary: 'Piston: run a program and wait for its end', body: documented(executeSchema) }
  http.post(`${prefix}/execute`, { schema }, async (request, reply) => {
    const caller = await callers.identify(request.token, 'submit')
    const body = parseFields(executeSchema, request.body)
    const found = findRuntime(runtimesOf((await client.languages()) ?? []), body.language, body.version)
    if (found === undefined) {
      throw badRequest(`${body.language}-${body.version} runtime is unknown`)
    }
    const job = jobOfExecute(body, found.catalogueName)
    const result = await submissions.run(caller, job, untilDisconnect(reply))
    if (result.status === 'validation_error') throw badRequest(result.errorMessage ?? 'was refused')
    return executeResponse(result, found.runtime)
  })
}

function listRoutes(http: Http, prefix: string, { callers, client }: GatewayParts): void {
  const offered = async (token: PresentedKey | undefined) => {
    await callers.identify(token, 'read')
    return runtimesOf((await client.languages()) ?? [])
  }
  const runtimes = { summary: 'Piston: the languages that workers offer' }
  http.get(`${prefix}/runtimes`, { schema: runtimes }, async (request) => {
    const all = await offered(request.token)
    return all.flatMap(({ runtime, installed }) => (installed ? [runtime] : []))
  })
  const packages = { summary: 'Piston: the same as packages' }
  http.get(`${prefix}/packages`, { schema: packages }, async (request) => {
    const all = await offered(request.token)
    return all.map(({ runtime: { language, version }, installed }) => ({
      language,
      language_version: version,
      installed,
    }))
  })
}
