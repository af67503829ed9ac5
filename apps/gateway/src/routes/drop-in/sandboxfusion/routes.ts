import type { GatewayParts } from '../../../gateway-parts.ts'
import type { Http } from '../../../http/create-http.ts'
import { untilDisconnect } from '../../../http/disconnect.ts'
import { documented } from '../../../http/documented.ts'
import { parseFields } from '../field-errors.ts'
import { jobOfRunCode, runCodeSchema } from './run-code-job.ts'
import { runCodeResponse } from './run-code-response.ts'
import { gradingOf, jobOfGrading } from './submit-job.ts'
import { submitSchema } from './submit-request.ts'
import { emptyResponse, submitResponse } from './submit-response.ts'

/** SandboxFusion's `POST /run_code` and `POST /submit`. */
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

  const submit = {
    summary: 'SandboxFusion: judge a completion by the tests of its row',
    body: documented(submitSchema),
  }
  http.post('/submit', { schema: submit }, async (request, reply) => {
    const caller = await callers.identify(request.token, 'submit')
    const body = parseFields(submitSchema, request.body)
    const grading = gradingOf(body)
    if (grading.extracted.type === 'empty') return emptyResponse(body)
    const job = jobOfGrading(grading, body)
    return submitResponse(body, grading, await submissions.run(caller, job, untilDisconnect(reply)))
  })
}
