import type { NewApiKey } from '@isopod/access'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0 })
  ;[gateway] = await Promise.all([startTestGateway(world), world.addWorker()])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: specs say what they expect of each answer.
  readonly body: any
}

async function ask(
  method: string,
  path: string,
  options: { body?: unknown; token?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { body, token } = options
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
}

const bash = (code: string, more: object = {}) => ({ language: 'bash', code, ...more })

// promise: http-executions
describe('without keys, on loopback', () => {
  it('an execution is submitted, read and listed', async () => {
    const submitted = await ask('POST', '/v1/executions', {
      body: bash('echo hi', { labels: { run: 'a b' } }),
    })
    expect(submitted).toMatchObject({ status: 202, body: { state: 'waiting', result: null } })
    const { id } = submitted.body
    expect(submitted.headers.get('location')).toBe(`/v1/executions/${id}`)
    expect(await ask('GET', `/v1/executions/${id}?wait=30`)).toMatchObject({
      status: 200,
      body: { id, state: 'finished', result: { status: 'success', stdout: 'hi\n' } },
    })
    const listed = await ask('GET', '/v1/executions?label=run%3Da%20b')
    expect(listed.body).toMatchObject({ executions: [{ id }], cursor: null })
    const detailed = await ask('GET', '/v1/executions?label=run%3Da%20b&details=true')
    expect(detailed.body.executions).toEqual([
      expect.objectContaining({ id, state: 'finished', status: 'success', language: 'bash@5.2' }),
    ])
  })

  it('a submit can wait for the result, and gets 202 when it does not come in time', async () => {
    expect(await ask('POST', '/v1/executions?wait=30', { body: bash('echo now') })).toMatchObject({
      status: 200,
      body: { result: { stdout: 'now\n' } },
    })
    const late = await ask('POST', '/v1/executions?wait=1.5', { body: bash('sleep 60') })
    expect(late).toMatchObject({ status: 202, body: { state: 'running', result: null } })
    await ask('DELETE', `/v1/executions/${late.body.id}`)
  })

  it('of many jobs none is enqueued if one is invalid', async () => {
    const before = (await ask('GET', '/v1/executions?limit=1')).body.executions
    const refused = await ask('POST', '/v1/executions/many', {
      body: { jobs: [bash('echo 1'), { code: 2 }] },
    })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'jobs[1].code' }] } })
    const alone = await ask('POST', '/v1/executions/many', { body: { jobs: [{ code: 2 }] } })
    expect(alone).toMatchObject({ status: 400, body: { errors: [{ field: 'jobs[0].code' }] } })
    expect((await ask('GET', '/v1/executions?limit=1')).body.executions).toEqual(before)
    const taken = await ask('POST', '/v1/executions/many', {
      body: { jobs: [bash('echo 1'), bash('echo 2')] },
    })
    expect(taken.status).toBe(202)
    const answers = await Promise.all(
      taken.body.ids.map((id: string) => ask('GET', `/v1/executions/${id}?wait=30`)),
    )
    expect(answers.map(({ body }) => body.result.stdout)).toEqual(['1\n', '2\n'])
  })

  it('a running execution is cancelled', async () => {
    const { id } = (await ask('POST', '/v1/executions', { body: bash('sleep 60') })).body
    await eventually(
      () => ask('GET', `/v1/executions/${id}`),
      ({ body }) => body.state === 'running',
    )
    expect((await ask('DELETE', `/v1/executions/${id}`)).status).toBe(200)
    expect((await ask('GET', `/v1/executions/${id}?wait=20`)).body.result.status).toBe('cancelled')
  })

  it('an unknown execution is 404', async () => {
    for (const [method, path] of [
      ['GET', '/v1/executions/j-none'],
      ['GET', '/v1/executions/j-none?wait=1'],
      ['GET', '/v1/executions/%00%2F..'],
      ['DELETE', '/v1/executions/j-none'],
      ['GET', '/v2/none'],
    ] as const) {
      const answer = await ask(method, path)
      expect(answer, path).toMatchObject({ status: 404, body: { status: 404 } })
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
    }
  })

  it('lists languages, and shows queue and metrics', async () => {
    const { languages } = (await ask('GET', '/v1/languages')).body
    expect(languages).toContainEqual(expect.objectContaining({ name: 'python', aliases: expect.any(Array) }))
    expect((await ask('GET', '/v1/queue')).body).toEqual({
      waiting: expect.any(Number),
      running: expect.any(Number),
      workers: 1,
      slots: expect.any(Number),
      oldestWaitingSeconds: expect.any(Number),
      predictedWaitSeconds: expect.toBeOneOf([null, expect.any(Number)]),
    })
    expect((await ask('GET', '/metrics')).body).toContain(
      'isopod_gateway_requests_total{route="/v1/executions"',
    )
  })

  it.each([
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'not_utf8'],
    ['too deep', '['.repeat(200), 'too_deep'],
    ['not JSON', '{', 'invalid_json'],
    ['not an object', '7', 'invalid_job'],
    ['wrong in one field', '{"code":"x","limits":{"memoryMb":"much"}}', 'invalid_job'],
  ])('a body that is %s is refused', async (_, body, code) => {
    const answer = await fetch(`${gateway.url}/v1/executions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code, requestId: answer.headers.get('x-request-id') })
  })

  it('a body that is too large is refused, and so is another media type', async () => {
    const large = await ask('POST', '/v1/executions', { body: `"${'x'.repeat(17 * 1024 * 1024)}"` }).catch(
      () => ({
        // The connection may be closed while the rest is still being sent.
        status: 413,
      }),
    )
    expect(large.status).toBe(413)
    const headers = { 'content-type': 'text/xml' }
    expect((await ask('POST', '/v1/executions', { body: '<a/>', headers })).status).toBe(415)
  })

  it('browsers may not call the gateway from pages of other sites', async () => {
    const foreign = { origin: 'https://evil.example' }
    const submitted = await ask('POST', '/execute', { body: { code: 'print(1)' }, headers: foreign })
    expect(submitted).toMatchObject({ status: 403, body: { code: 'foreign_origin' } })
  })
})

/** The events of a stream that ends, as `type` and data. */
async function follow(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.url}${path}`, { headers })
  const text = await answer.text()
  const events = text.split('\n\n').flatMap((frame) => {
    const [, id, type, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(frame) ?? []
    return data === undefined ? [] : [{ id, type, data: JSON.parse(data) }]
  })
  return { answer, events }
}

// promise: http-events
describe('the events of an execution', () => {
  it('come as server-sent events while it runs, and can be resumed', async () => {
    const job = bash('echo one; sleep 0.3; echo two >&2', { stream: true })
    const { id } = (await ask('POST', '/v1/executions', { body: job })).body
    const { answer, events } = await follow(`/v1/executions/${id}/events`)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(events.map(({ type }) => type)).toEqual(['status', 'stdout', 'stderr', 'finished'])
    expect(events[1]?.data.text).toBe('one\n')
    expect(events.at(-1)?.data).toEqual({ status: 'success' })
    const resumed = await follow(`/v1/executions/${id}/events`, { 'last-event-id': events[1]?.id ?? '' })
    expect(resumed.events).toEqual(events.slice(2))
  })

  it('contain only `finished` for a job without a stream', async () => {
    const { id } = (await ask('POST', '/v1/executions', { body: bash('echo hi') })).body
    const { events } = await follow(`/v1/executions/${id}/events`)
    expect(events.map(({ type }) => type)).toEqual(['finished'])
  })

  it('of an unknown execution are 404, and an invalid event id is 400', async () => {
    expect((await ask('GET', '/v1/executions/j-none/events')).status).toBe(404)
    const { id } = (await ask('POST', '/v1/executions', { body: bash('echo hi') })).body
    const headers = { 'last-event-id': 'nonsense' }
    expect((await ask('GET', `/v1/executions/${id}/events`, { headers })).status).toBe(400)
  })
})

// promise: http-keys
describe('with keys', () => {
  const tokens: Record<string, string> = {}

  beforeAll(async () => {
    const make = async (name: string, rest: Omit<NewApiKey, 'name'>) => {
      tokens[name] = (await gateway.access.keys.create({ name, ...rest })).token
    }
    await make('a', { tenant: 'a', scopes: ['submit', 'read'] })
    await make('b', { tenant: 'b', scopes: ['submit', 'read'] })
    await make('reader', { tenant: 'a', scopes: ['read'] })
    await make('admin', { tenant: 'ops', scopes: ['admin'] })
    await make('slow', { tenant: 'c', scopes: ['read'], requestsPerMinute: 2 })
    await make('small', { tenant: 'd', scopes: ['submit', 'read'], maxInFlight: 2 })
    await make('expired', { tenant: 'a', scopes: ['read'], expiresAt: Date.now() - 1 })
    await gateway.asksForKeys()
  })

  it('a request without one, or with a wrong one, is refused', async () => {
    for (const token of [undefined, 'x', `${tokens['a']}x`, tokens['expired']]) {
      const answer = await ask('GET', '/v1/queue', { ...(token && { token }) })
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
    const key = tokens['a'] ?? ''
    expect((await ask('GET', '/v1/queue', { headers: { 'x-api-key': key } })).status).toBe(200)
  })

  it('a tenant sees no execution of another tenant', async () => {
    const body = bash('echo secret', { labels: { of: 'a' }, idempotencyKey: 'once' })
    const mine = { token: tokens['a'] ?? '' }
    const other = { token: tokens['b'] ?? '' }
    const { id } = (await ask('POST', '/v1/executions?wait=30', { ...mine, body })).body
    expect((await ask('GET', `/v1/executions/${id}`, mine)).status).toBe(200)
    expect((await ask('GET', `/v1/executions/${id}`, other)).status).toBe(404)
    expect((await ask('GET', `/v1/executions/${id}?wait=1`, other)).status).toBe(404)
    expect((await ask('DELETE', `/v1/executions/${id}`, other)).status).toBe(404)
    expect((await ask('GET', '/v1/executions?label=of%3Da', other)).body.executions).toEqual([])
    expect((await ask('GET', '/v1/executions?tenant=a', other)).status).toBe(403)
    expect(
      (await ask('GET', '/v1/executions?tenant=a', { token: tokens['admin'] ?? '' })).body.executions,
    ).not.toEqual([])
    // The same idempotency key of another tenant names another execution.
    const again = await ask('POST', '/v1/executions?wait=30', {
      ...other,
      body: { ...body, code: 'echo mine' },
    })
    expect(again.body).toMatchObject({ result: { stdout: 'mine\n', tenant: 'b' } })
    const foreign = await ask('POST', '/v1/executions', { ...other, body: { ...body, tenant: 'a' } })
    expect(foreign).toMatchObject({ status: 403, body: { errors: [{ field: 'tenant' }] } })
    const queue = { ...body, idempotencyKey: 'queue', replyTo: 'of-another-service' }
    expect(await ask('POST', '/v1/executions', { ...other, body: queue })).toMatchObject({
      status: 403,
      body: { errors: [{ field: 'replyTo' }] },
    })
    const admin = { token: tokens['admin'] ?? '' }
    expect((await ask('POST', '/v1/executions', { ...admin, body: queue })).status).toBe(202)
  })

  it('a request without the required scope is refused, and the refusal names the scope', async () => {
    const answer = await ask('POST', '/v1/executions', { token: tokens['reader'] ?? '', body: bash('echo') })
    expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining('scope submit') } })
    expect((await ask('GET', '/metrics', { token: tokens['reader'] ?? '' })).status).toBe(403)
    expect((await ask('GET', '/metrics', { token: tokens['admin'] ?? '' })).status).toBe(200)
  })

  it('too many requests get 429 with Retry-After', async () => {
    const answers = []
    for (let count = 0; count < 3; count++)
      answers.push(await ask('GET', '/v1/queue', { token: tokens['slow'] ?? '' }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('a key has no more unfinished executions than its budget', async () => {
    const token = tokens['small'] ?? ''
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => ask('POST', '/v1/executions', { token, body: bash('sleep 1') })),
    )
    const taken = answers.filter(({ status }) => status === 202)
    const refused = answers.filter(({ status }) => status === 429)
    expect([taken.length, refused.length]).toEqual([2, 4])
    expect(refused[0]?.body.code).toBe('budget_exceeded')
    await Promise.all(taken.map(({ body }) => ask('GET', `/v1/executions/${body.id}?wait=30`, { token })))
    expect((await ask('POST', '/v1/executions', { token, body: bash('echo') })).status).toBe(202)
    // A list that is longer than the budget could never be accepted, so its refusal must not ask for a retry.
    const jobs = [bash('echo 1'), bash('echo 2'), bash('echo 3')]
    const list = await ask('POST', '/v1/executions/many', { token, body: { jobs } })
    expect(list).toMatchObject({ status: 400, body: { errors: [{ field: 'jobs' }] } })
    expect(list.headers.get('retry-after')).toBeNull()
  })
})

describe('a gateway refuses to start with', () => {
  it('an address that other machines can reach, if there is no key', async () => {
    const queue = { redisUrl: world.redisUrl, prefix: `${world.prefix}-open` }
    const started = startTestGateway(queue, { ISOPOD_BIND: '0.0.0.0' })
    await expect(started).rejects.toThrow(/there is no API key, so the gateway serves loopback only/)
  })

  it('a misspelt setting', async () => {
    const started = startTestGateway(world, { ISOPOD_GATEWAY_BODY_MD: '3' })
    await expect(started).rejects.toThrow(
      /ISOPOD_GATEWAY_BODY_MD: unknown setting; did you mean ISOPOD_GATEWAY_BODY_MB\?/,
    )
  })
})

// promise: http-document
describe('the OpenAPI document', () => {
  it('describes jobs with the client’s own schema, and is shown as a page', async () => {
    const admin = {
      token: (await gateway.access.keys.create({ name: 'x', tenant: 'x', scopes: ['admin'] })).token,
    }
    const { body } = await ask('GET', '/openapi.json', admin)
    expect(body.openapi).toBe('3.1.0')
    const job = body.paths['/v1/executions'].post.requestBody.content['application/json'].schema
    expect(job).toMatchObject({
      type: 'object',
      required: ['code'],
      properties: { limits: { type: 'object' } },
    })
    const page = await ask('GET', '/docs', admin)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
  })
})
