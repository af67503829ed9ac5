import { afterAll, beforeAll, expect, it } from 'vitest'
import { DROP_INS } from '../../apps/gateway/src/config.ts'
import { SIMULATED_LAUNCHER, simulatedSettings } from '../bench/cases/simulated.ts'
import { seededRandom } from '../bench/measure/random.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { SOAK } from '../support/soak.ts'
import { startWorld, type World } from '../support/world.ts'

const REQUESTS = SOAK ? 10_000 : 2_000
const AT_ONCE = 32
const SECRET = 'the-other-tenant-printed-this'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0, launcher: SIMULATED_LAUNCHER, env: simulatedSettings(10, 1) })
  const settings = { ISOPOD_GATEWAY_MAX_WAITING: '100000', ISOPOD_GATEWAY_DROP_INS: DROP_INS.join() }
  ;[gateway] = await Promise.all([startTestGateway(world, settings), world.addWorker()])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

/** Makes random bodies, ids and queries, some of them almost valid. */
function fuzzer(
  seed: number,
  known: { readonly id: string; readonly tokens: readonly (string | undefined)[] },
) {
  const next = seededRandom(seed)
  const one = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T
  const scalar = () =>
    one<unknown>([
      0,
      -1,
      1e308,
      null,
      true,
      '',
      'x',
      '\u0000',
      '\u202e',
      'x'.repeat(5_000),
      [],
      {},
      [[]],
      '__proto__',
    ])
  const names =
    'language code files stdin inputData limits policy tests tenant labels priority idempotencyKey replyTo batchId reuse stream cache repeat args env callbackUrl timeout_seconds memory_mb input_data jobs source_code language_id version submissions additional_files __proto__ constructor nonsense'.split(
      ' ',
    )
  const object = () => {
    // Accepted jobs keep the only worker busy, so that most of the later ones wait.
    const fields: [string, unknown][] =
      next() < 0.7
        ? [
            ['language', 'bash'],
            ['code', 'sleep 0.01'],
          ]
        : []
    for (let count = next() < 0.5 ? 0 : Math.floor(next() * 4); count > 0; count--)
      fields.push([one(names), scalar()])
    return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
  }
  const bodies = [
    object,
    object,
    object,
    object,
    object,
    object,
    () => `{"jobs":[${object()},${object()}]}`,
    () => `[${object()}]`,
    () => `{"submissions":[${object()},{"source_code":"sleep 0.01","language_id":46}]}`,
    () => JSON.stringify(scalar()),
    () => object().slice(0, -2),
    () => '{"code":'.repeat(300),
    () => '\ufeff{}',
    () => `--x\r\nContent-Disposition: form-data; name="job"\r\n\r\n${object()}\r\n--x--`,
    () => '',
  ]
  const id = () =>
    one([known.id, known.id, 'j-none', '..', '%2e%2e%2f', '%00', 'x'.repeat(300), '%', '*', 'wait'])
  const query = () => {
    const name = one([
      'wait',
      'fields',
      'base64_encoded',
      'label',
      'tenant',
      'cursor',
      'limit',
      'x',
      'wait[]',
      '__proto__',
    ])
    return one([
      '',
      '',
      `?${name}=${encodeURIComponent(String(one([0, -1, 0.1, 'a=b', 'x', '*', '', 1e99])))}`,
    ])
  }
  const routes: readonly (readonly [string, () => string])[] = [
    ['POST', () => '/execute'],
    ['POST', () => '/v1/executions'],
    ['POST', () => '/v1/executions/many'],
    ['GET', () => '/v1/executions'],
    ['GET', () => `/v1/executions/${id()}`],
    ['DELETE', () => `/v1/executions/${id()}`],
    ['GET', () => `/v1/executions/${id()}/events`],
    ['GET', () => `/v1/executions/${id()}/files/${id()}`],
    ['GET', () => `/v1/executions/${id()}/output/${one(['stdout', 'stderr', 'compile', '..', 'x'])}`],
    ['POST', () => '/v1/batches'],
    ['GET', () => `/v1/batches/${id()}`],
    ['GET', () => `/v1/batches/${id()}/executions`],
    ['GET', () => `/v1/batches/${id()}/events`],
    ['DELETE', () => `/v1/batches/${id()}`],
    ['DELETE', () => `/v1/executions?${one(['batchId', 'label', 'replyTo', 'tenant'])}=${id()}`],
    ['GET', () => '/v1/languages'],
    ['GET', () => '/v1/queue'],
    ['GET', () => '/v1/queue/executions'],
    ['GET', () => `/v1/queue/executions?${one(['batchId', 'label', 'limit', 'cursor'])}=${id()}`],
    ['POST', () => '/submissions'],
    ['POST', () => '/submissions/batch'],
    ['GET', () => `/submissions/${id()}`],
    ['GET', () => `/submissions/batch?tokens=${id()},${known.id}`],
    ['GET', () => `/languages/${id()}`],
    ['POST', () => '/api/v2/execute'],
    ['GET', () => '/api/v2/runtimes'],
    ['POST', () => '/run_code'],
    ['GET', () => '/metrics'],
    ['GET', () => '/openapi.json'],
    ['GET', () => `/docs/${id()}`],
    ['GET', () => `/${id()}`],
  ]
  return () => {
    const [usual, path] = one(routes)
    const method = next() < 0.7 ? usual : one(['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])
    const headers: Record<string, string> = {}
    const token = one(known.tokens)
    if (token !== undefined) {
      const name = one(['authorization', 'x-api-key'])
      const isBearer = (name === 'authorization') !== next() < 0.1
      headers[name] = isBearer ? `Bearer ${token}` : token
    }
    if (next() < 0.2)
      headers['last-event-id'] = String(one(['0-0', '-', 'x', '1-1', 'finished', '99999999999999-1']))
    if (next() < 0.05) headers['origin'] = one(['https://evil.example', 'null', 'x'])
    const hasBody = method !== 'GET' && next() < 0.9
    if (hasBody)
      headers['content-type'] =
        next() < 0.9
          ? 'application/json'
          : one(['text/plain', 'a/b', '', 'multipart/form-data', 'multipart/form-data; boundary=x'])
    return { method, path: path() + query(), headers, ...(hasBody && { body: one(bodies)() }) }
  }
}

// promise: http-fuzz
it(`${REQUESTS} fuzzed requests get no 500 and no data of another tenant`, async () => {
  const { keys } = gateway.access
  const victim = await keys.create({ name: 'a', tenant: 'a', scopes: ['submit', 'read'] })
  const attacker = await keys.create({ name: 'b', tenant: 'b', scopes: ['submit', 'read'] })
  const id = await world.client.submit({ language: 'bash', code: `echo ${SECRET}`, tenant: 'a' })
  await gateway.access.executions.record('a', [{ id, labels: { secret: SECRET } }])
  await world.client.wait(id)
  await gateway.asksForKeys()
  const mine = await fetch(`${gateway.url}/v1/executions/${id}`, {
    headers: { authorization: `Bearer ${victim.token}` },
  })
  expect(await mine.text()).toContain(SECRET)

  // Most requests have a valid key, because the others are refused before they are parsed.
  const tokens = [...Array(6).fill(attacker.token), undefined, 'isopod_x_y']
  const next = fuzzer(20_261_122, { id, tokens })
  const wrong: string[] = []
  const statuses = new Map<number, number>()
  let left = REQUESTS
  const send = async () => {
    while (left-- > 0) {
      const { path, ...request } = next()
      // Some requests wait for their job, which may be far back in the queue, so each is aborted after a while.
      const signal = AbortSignal.timeout(2_000)
      const answer = await fetch(`${gateway.url}${path}`, { ...request, signal }).catch(() => undefined)
      const text = (await answer?.text().catch(() => '')) ?? ''
      if (answer === undefined) continue
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 500 || text.includes(SECRET)) {
        wrong.push(
          `${request.method} ${path} ${JSON.stringify(request)} → ${answer.status} ${text.slice(0, 200)}`,
        )
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  expect(wrong).toEqual([])
  // Each kind of answer occurred, so the requests were not all refused early, and the gateway still serves.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 202, 400, 401, 404, 415]))
  expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: 'healthy' })
  expect(await gateway.log()).not.toContain('a request failed')
})
