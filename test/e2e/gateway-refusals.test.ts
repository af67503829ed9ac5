import { mkdtemp, rm } from 'node:fs/promises'
import { connect as openSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'

let directory: string
let redis: RedisServer
let gateway: Gateway
let token: string
const PAGE = 'https://page.example'

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-refusals-'))
  redis = await startRedisServer({ directory })
  const settings = { ISOPOD_GATEWAY_CORS_ORIGINS: PAGE }
  gateway = await startTestGateway({ redisUrl: redis.url, prefix: 'refusals' }, settings)
  token = (await gateway.access.keys.create({ name: 'x', tenant: 'x', scopes: ['submit', 'read'] })).token
  await gateway.asksForKeys()
})

afterAll(async () => {
  await gateway?.close()
  await redis?.stop()
  await rm(directory, { recursive: true, force: true })
})

const json = { 'content-type': 'application/json' }
const withKey = () => ({ ...json, authorization: `Bearer ${token}` })

/** The gateway's answer to raw bytes. */
async function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url)
  const socket = openSocket(Number(port), hostname)
  socket.end(bytes)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

// promise: http-refusals
describe('each refusal is a problem document (RFC 9457) with the id of the request', () => {
  it.each([
    ['a path that is not UTF-8', '/v1/executions/%zz', 400],
    ['a path that is too long', `/v1/executions/${'x'.repeat(300)}`, 414],
    ['an unknown path', '/v1/none', 404],
    ['a method that the path does not have', '/execute', 405],
  ])('%s', async (_, path, status) => {
    const answer = await fetch(`${gateway.url}${path}`)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({ status, requestId: answer.headers.get('x-request-id') })
  })

  const head = 'POST /execute HTTP/1.1\r\nhost: 127.0.0.1\r\n'
  it.each([
    ['two lengths', `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
    ['a length and chunks', `${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n', 400],
    ['TLS', '\x16\x03\x01\x02\r\n\r\n', 400],
    ['headers that are too large', `${head}x-large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s', async (_, bytes, status) => {
    const [headers = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n')
    expect(headers).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const requestId = /^x-request-id: (.+)$/m.exec(headers)?.[1]?.trim()
    expect(JSON.parse(body)).toMatchObject({ status, requestId })
  })

  it.each([
    [
      '/execute',
      { code: 'x', timeout_seconds: 61 },
      'timeout_seconds: must be a whole number from 1 to 60, got 61',
    ],
    ['/execute', { code: 'x', langauge: 'c' }, 'langauge: unknown field; did you mean "language"?'],
    ['/execute', null, 'body: must be an object, got null'],
    ['/v1/executions/many', { jobs: [], job: 1 }, 'job: unknown field; did you mean "jobs"?'],
    ['/v1/executions?wait=61', { code: 'x' }, 'wait: must be seconds from 0 to 60, got "61"'],
    ['/v1/batches', { jobs: 7 }, 'jobs: must be a list of 1 to 1000 jobs, got 7'],
  ])('a wrong field of %s is named, with what is allowed: %j', async (path, body, sentence) => {
    const answer = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: withKey(),
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(400)
    const [field = ''] = sentence.split(':')
    const { errors } = (await answer.json()) as { errors: { field: string; message: string }[] }
    expect(errors).toContainEqual({ field: field === 'body' ? '' : field, message: sentence })
  })

  it('a refusal of an invalid event id names the header', async () => {
    const answer = await fetch(`${gateway.url}/v1/executions/j-1/events`, {
      headers: { ...withKey(), 'last-event-id': 'nonsense' },
    })
    expect(await answer.json()).toMatchObject({ status: 400, errors: [{ field: 'last-event-id' }] })
  })
})

// promise: http-refusals
describe('request methods', () => {
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}${path}`, { method, headers, ...(method === 'POST' && { body: 'nonsense' }) })

  it.each([
    ['GET', '/execute', 'POST, OPTIONS'],
    ['HEAD', '/execute', 'POST, OPTIONS'],
    ['PUT', '/v1/executions', 'GET, HEAD, DELETE, POST, OPTIONS'],
    ['POST', '/v1/executions/j-1', 'GET, HEAD, DELETE, OPTIONS'],
    ['POST', '/v1/executions/j-1/events', 'GET, HEAD, OPTIONS'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['PUT', '/', 'GET, HEAD, OPTIONS'],
  ])('%s %s is refused with 405, also without a key', async (method, path, allow) => {
    const answer = await send(method, path)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
    if (method === 'HEAD') return
    const detail = `${method} is not allowed for ${path}; allowed: ${allow}.`
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed', detail })
  })

  it('a fixed path also has the methods of a path with a parameter that matches it', async () => {
    const answer = await send('GET', '/v1/executions/many', withKey())
    expect(await answer.json()).toMatchObject({ status: 404, code: 'unknown_job' })
    expect((await send('PUT', '/v1/executions/many')).headers.get('allow')).toMatch(/^GET, .*POST/)
  })

  it('a method that no path has gets 501, and a path that does not exist gets 404', async () => {
    expect((await send('PROPFIND', '/execute')).status).toBe(501)
    expect((await send('PUT', '/v1/none')).status).toBe(404)
  })

  it('HEAD gets the headers of GET without a body, and does not wait for the end of an event stream', async () => {
    expect((await send('HEAD', '/v1/queue', withKey())).status).toBe(200)
    const submitted = await fetch(`${gateway.url}/v1/executions`, {
      method: 'POST',
      headers: withKey(),
      body: '{"code":"x"}',
    })
    const { id } = (await submitted.json()) as { id: string }
    const events = await send('HEAD', `/v1/executions/${id}/events`, withKey())
    expect([events.status, events.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect((await send('HEAD', '/v1/executions/j-none/events', withKey())).status).toBe(404)
  })

  it('OPTIONS names the methods of a path, and allows pages of a listed origin all of them', async () => {
    const plain = await send('OPTIONS', '/v1/executions')
    expect([plain.status, plain.headers.get('allow')]).toEqual([204, 'GET, HEAD, DELETE, POST, OPTIONS'])
    const preflight = { origin: PAGE, 'access-control-request-method': 'DELETE' }
    const asked = await send('OPTIONS', '/v1/executions/j-1', preflight)
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe(PAGE)
    expect(asked.headers.get('access-control-allow-methods')).toContain('DELETE')
    const other = { ...preflight, origin: 'https://other.example' }
    expect((await send('OPTIONS', '/v1/executions/j-1', other)).status).toBe(403)
  })
})

// promise: http-keys
describe('the body of a request without a valid key', () => {
  it('is not parsed', async () => {
    for (const body of ['{', '{"code":7}', `{"code":"${'x'.repeat(2_000_000)}"}`]) {
      const answer = await fetch(`${gateway.url}/execute`, { method: 'POST', headers: json, body })
      expect(answer.status).toBe(401)
    }
  })
})

// promise: http-outage
describe('while Redis does not answer', () => {
  it('each route refuses with Retry-After, and serves again afterwards', async () => {
    process.kill(redis.pid, 'SIGSTOP')
    const asked = [
      ['GET', '/v1/queue'],
      ['GET', '/v1/executions'],
      ['GET', '/v1/executions/j-1'],
      ['GET', '/v1/batches/b-1'],
      ['POST', '/v1/executions'],
      ['POST', '/execute'],
      ['DELETE', '/v1/executions/j-1'],
    ].map(([method = '', path]) =>
      fetch(`${gateway.url}${path}`, {
        method,
        headers: withKey(),
        ...(method === 'POST' && { body: '{"code":"x"}' }),
      }),
    )
    const ready = fetch(`${gateway.url}/readyz`)
    const health = fetch(`${gateway.url}/health`)
    try {
      for (const answer of await Promise.all(asked)) {
        expect(answer.status).toBe(503)
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(await answer.json()).toMatchObject({ code: 'unavailable' })
      }
      expect((await ready).status).toBe(503)
      expect(await (await ready).text()).not.toContain('redis.sock')
      expect(await (await health).json()).toEqual({ status: 'unhealthy' })
    } finally {
      process.kill(redis.pid, 'SIGCONT')
    }
    const back = await eventually(
      () => fetch(`${gateway.url}/v1/queue`, { headers: withKey() }),
      ({ status }) => status === 200,
    )
    expect(back.status).toBe(200)
  })
})

// promise: http-stop
describe('a gateway that gets SIGTERM', () => {
  it('answers waiting requests; it cancels an execution only if its caller has no id to read it later', async () => {
    const prefix = 'refusals-stop'
    const env = { ISOPOD_GATEWAY_DRAIN_SECONDS: '1' }
    const stopped = await startTestGateway({ redisUrl: redis.url, prefix }, env)
    const next = await startTestGateway({ redisUrl: redis.url, prefix })
    onTestFinished(async () => {
      await stopped.close()
      await next.close()
    })
    const ask = async (url: string, path: string, body?: object) => {
      const method = body === undefined ? 'GET' : 'POST'
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: json,
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as { id: string } }
    }
    // There is no worker, so no execution ends by itself.
    const code = 'print(1)'
    const { id } = (await ask(stopped.url, '/v1/executions', { code })).body
    const waits = [
      ask(stopped.url, `/v1/executions/${id}?wait=30`),
      ask(stopped.url, '/v1/executions?wait=30', { code }),
    ]
    const executed = ask(stopped.url, '/execute', { code })
    const queue = await eventually(
      () => ask(next.url, '/v1/queue'),
      ({ body }) => 'waiting' in body && body.waiting === 3,
    )
    expect(queue.body).toMatchObject({ waiting: 3 })
    const stopping = stopped.process.stop()
    const [read, submitted] = await Promise.all(waits)
    expect(read).toMatchObject({ status: 200, body: { id, state: 'waiting', result: null } })
    expect(submitted).toMatchObject({ status: 202, body: { state: 'waiting', result: null } })
    const refused = await executed
    expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining('stopping') } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await stopping
    expect(await stopped.log()).not.toContain('shutdown step failed')
    // Both executions with an id still exist; the third is cancelled.
    for (const known of [id, submitted?.body.id]) {
      const found = await ask(next.url, `/v1/executions/${known}`)
      expect(found.body).toMatchObject({ state: 'waiting' })
    }
    expect((await ask(next.url, '/v1/queue')).body).toMatchObject({ waiting: 2 })
  })
})
