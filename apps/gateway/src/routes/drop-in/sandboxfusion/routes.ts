import type { Http } from '../../../http/create-http.ts'
import { untilDisconnect } from '../../../http/disconnect.ts'
import { documented } from '../../../http/documented.ts'
import type { GatewayParts } from '../../../server.ts'
import { parseFields } from '../field-errors.ts'
import { jobOfRunCode, runCodeSchema } from './run-code-job.ts'
import { runCodeResponse } from './run-code-response.ts'

/** SandboxFusion's `POST /run_code`. */
export function sandboxFusionRoutes(http: Http, { callers, submissions }: GatewayParts): void {
  const schema = {
    summary: 'SandboxFusion: run a program and wait for its end',
    body: documented(runCodeSchema),
  }
  http.post('/run_code', { schema }, async (request, reply) => {
    const caller = await callers.identify(request.token, 'submit')
    const job = jobOfRunCode(parseFields(runCodeSchema, request.body))
    return runCodeResponse(await submissions.run(caller, job, untilDisconnect(reply)))
  })
}
