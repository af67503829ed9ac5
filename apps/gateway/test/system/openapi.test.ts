import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type Access, openAccess } from '@isopod/access'
import { createLogger, createMetricsOf } from '@isopod/telemetry'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../../../../test/support/world.ts'
import { callbackRule } from '../../src/callback-rule.ts'
import { Callers } from '../../src/callers.ts'
import { DROP_INS, readGatewayConfig } from '../../src/config.ts'
import { GATEWAY_METRICS } from '../../src/gateway-metrics.ts'
import type { Http } from '../../src/http/create-http.ts'
import { QueueGate } from '../../src/queue-gate.ts'
import { createServer } from '../../src/server.ts'
import { Submissions } from '../../src/submissions.ts'

/** Routes outside the API: those for operators, the web page, and the document itself. */
const INTERNAL = /^\/($|healthz|readyz|metrics|openapi\.json|(docs|assets|queues)(\/.*)?$)/

// biome-ignore lint/suspicious/noExplicitAny: the specs check the document's own shape.
type Json = any

let world: World
let http: Http
let url: string
let access: Access
let document: Json
const declared: { method: string; url: string }[] = []
const closing: (() => unknown)[] = []

beforeAll(async () => {
  world = await startWorld()
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: Http }
    fastify.addHook('onRoute', (route) => {
      if (route.config?.isOtherMethods) return
      for (const method of [route.method].flat()) declared.push({ method, url: route.url })
    })
  }
  subscribe('fastify.initialization', watch)
  const config = readGatewayConfig({
    REDIS_URL: world.redisUrl,
    ISOPOD_QUEUE_PREFIX: world.prefix,
    ISOPOD_GATEWAY_DROP_INS: DROP_INS.join(),
    ISOPOD_GATEWAY_BODY_MB: '1',
    ISOPOD_GATEWAY_MAX_WAITING: '500',
  })
  access = await openAccess(config.queue)
  closing.push(() => access.close())
  const { client } = world
  const rule = callbackRule(undefined)
  http = await createServer({
    config,
    logger: createLogger({ name: 'spec', level: 'silent', publicMessage: () => undefined }),
    metrics: createMetricsOf(GATEWAY_METRICS, { listed: { language: [], status: [], image: [] } }),
    client,
    access,
    callers: new Callers(access, { allowed: true, loopback: true }),
    submissions: new Submissions({
      client,
      access,
      gate: new QueueGate(client, config.maxWaiting),
      drained: new AbortController().signal,
      callbackRule: rule,
    }),
    callbackRule: rule,
  })
  unsubscribe('fastify.initialization', watch)
  closing.unshift(() => http.close())
  url = await http.listen({ port: 0 })
  document = await (await fetch(`${url}/openapi.json`)).json()
})

afterAll(async () => {
  for (const close of closing) await close()
  await world?.close()
})

/** All operations of the document, as `POST /v1/executions`. */
function operations(): [name: string, operation: Json][] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )
}

function validator(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  return ajv.compile({ ...schema, components: document.components })
}

// promise: http-document
describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(document.openapi).toMatch(/^3\.1\./)
  })

  it('documents exactly the routes that the gateway serves', () => {
    const served = declared
      .filter((route) => !INTERNAL.test(route.url) && !['HEAD', 'OPTIONS'].includes(route.method))
      .map(
        (route) => `${route.method} ${route.url.replace(/:(\w+)|(\*)$/g, '{$1$2}').replace(/(.)\/$/, '$1')}`,
      )
    expect(served.length).toBeGreaterThan(20)
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toEqual([...new Set(served)].sort())
  })

  it('gives each operation a unique id, a summary, its path parameters and its authentication', () => {
    const ids = operations().map(([, { operationId }]) => operationId)
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]*$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(['apiKey', 'bearer'])
    expect(document.security.flatMap(Object.keys).sort()).toEqual(['apiKey', 'bearer'])
    for (const [name, { summary, parameters = [] }] of operations()) {
      expect(summary, name).toMatch(/^[A-Z]/)
      const inPath = parameters.filter((parameter: Json) => parameter.in === 'path')
      const wanted = [...name.matchAll(/\{(\w+|\*)\}/g)].map(([, parameter]) => parameter)
      expect(inPath.map((parameter: Json) => parameter.name).sort(), name).toEqual(wanted.sort())
    }
  })

  it('documents each refusal as a problem document', () => {
    const own = operations().filter(([name]) => / \/(v1|execute)/.test(name))
    expect(own.length).toBeGreaterThan(12)
    for (const [name, { responses }] of own) {
      const refusals = Object.entries<Json>(responses).filter(([status]) => Number(status) >= 400)
      expect(
        refusals.map(([status]) => status),
        name,
      ).toEqual(expect.arrayContaining(['401', '503']))
      for (const [status, { content }] of refusals) {
        expect(Object.keys(content), `${name} ${status}`).toEqual(['application/problem+json'])
      }
    }
  })

  it('has examples that its own schemas accept', () => {
    let checked = 0
    const visit = (node: Json) => {
      if (typeof node !== 'object' || node === null) return
      const examples = Array.isArray(node.examples)
        ? node.examples
        : Object.values<Json>(node.examples ?? {}).map(({ value }) => value)
      const schema = node.schema ?? node
      const accepts = examples.length > 0 ? validator(schema) : undefined
      for (const example of examples) {
        checked += 1
        expect(accepts?.(example), JSON.stringify([example, accepts?.errors])).toBe(true)
      }
      for (const value of Object.values(node)) visit(value)
    }
    visit(document.paths)
    expect(checked).toBeGreaterThan(2)
  })
})

interface Check {
  readonly operation: string
  readonly path?: string
  readonly status: number
  readonly body?: Json
  readonly headers?: Record<string, string>
}

/** Sends a request and checks its answer against the document. */
async function check({ operation, path, status, body, headers }: Check): Promise<Json> {
  const [method = '', template = ''] = operation.split(' ')
  const form = body instanceof FormData || typeof body === 'string' || body instanceof Buffer
  const answer = await fetch(url + (path ?? template), {
    method,
    headers: { ...(body !== undefined && !form && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
  })
  const where = `${operation} → ${answer.status}`
  const text = await answer.text()
  expect(answer.status, `${where} ${text.slice(0, 300)}`).toBe(status)
  const described = document.paths[template]?.[method.toLowerCase()]?.responses[status]
  expect(described, `${where} is documented`).toBeDefined()
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
  expect(Object.keys(described.content), where).toContain(type)
  const given = type.endsWith('json') ? JSON.parse(text) : text
  const accepts = validator(described.content[type].schema)
  expect(accepts(given), `${where} ${JSON.stringify(accepts.errors)} ${text.slice(0, 300)}`).toBe(true)
  seen.add(`${operation} ${status}`)
  return given
}

/** A body that the route accepts. */
function bodyFor(template: string): object {
  const job = { language: 'bash', code: 'echo 1' }
  return /batches|many/.test(template) ? { jobs: [job] } : job
}

const seen = new Set<string>()
const bash = (code: string, more: object = {}) => ({ language: 'bash', code, ...more })

// promise: http-document
describe('the answers of the routes', () => {
  it('are as documented when they succeed', async () => {
    await check({ operation: 'GET /health', status: 200 })
    await check({ operation: 'POST /execute', status: 200, body: { code: 'print(1)' } })
    await check({ operation: 'GET /v1/languages', status: 200 })
    await check({ operation: 'GET /v1/queue', status: 200 })
    const job = bash('printf "a\\377b"; exit 3', { tests: [{ stdin: '', expected: 'x' }] })
    const submit = { operation: 'POST /v1/executions', path: '/v1/executions?wait=30' }
    await check({ ...submit, status: 200, body: job })
    const { id } = await check({ ...submit, status: 200, body: bash('printf "a\\377b"') })
    await check({ operation: 'POST /v1/executions', status: 202, body: bash('echo 1') })
    const { ids } = await check({
      operation: 'POST /v1/executions/many',
      status: 202,
      body: { jobs: [bash('echo 1')] },
    })
    const one = '/v1/executions/{id}'
    await check({ operation: `GET ${one}`, path: `/v1/executions/${ids[0]}?wait=30`, status: 200 })
    await check({ operation: `GET ${one}/events`, path: `/v1/executions/${id}/events`, status: 200 })
    await check({ operation: `DELETE ${one}`, path: `/v1/executions/${id}`, status: 200 })
    const output = `GET ${one}/output/{stream}`
    await check({ operation: output, path: `/v1/executions/${id}/output/stdout`, status: 200 })
    const file = `GET ${one}/files/{*}`
    const left = await check({ ...submit, status: 200, body: bash('echo 1 > a', { fetchFiles: ['a'] }) })
    await check({ operation: file, path: `/v1/executions/${left.id}/files/a`, status: 200 })
    await check({ operation: 'GET /v1/executions', path: '/v1/executions?limit=2', status: 200 })

    await check({ operation: 'GET /v1/queue/executions', status: 200 })
    const ours = '/v1/executions?label=a=b'
    await check({ operation: 'DELETE /v1/executions', path: ours, status: 200 })

    const batch = await check({
      operation: 'POST /v1/batches',
      status: 202,
      body: { name: 'n', jobs: [bash('echo 1'), bash('exit 1')] },
    })
    const path = `/v1/batches/${batch.id}`
    await check({ operation: 'GET /v1/batches/{id}', path: `${path}?wait=30`, status: 200 })
    await check({ operation: 'GET /v1/batches/{id}/executions', path: `${path}/executions`, status: 200 })
    await check({ operation: 'GET /v1/batches/{id}/events', path: `${path}/events`, status: 200 })
    await check({ operation: 'DELETE /v1/batches/{id}', path, status: 200 })
  })

  it('are as documented when they are refused', async () => {
    const large = { 'content-type': 'application/json' }
    const posts = ['POST /execute', 'POST /v1/executions', 'POST /v1/executions/many', 'POST /v1/batches']
    for (const operation of posts) {
      await check({ operation, status: 400, body: { nonsense: 1 } })
      await check({ operation, status: 401, body: {}, headers: { 'x-api-key': 'x' } })
      await check({ operation, status: 403, body: {}, headers: { origin: 'https://evil.example' } })
      await check({ operation, status: 413, body: `"${'x'.repeat(1_100_000)}"`, headers: large })
      await check({ operation, status: 415, body: '<a/>', headers: { 'content-type': 'text/xml' } })
    }
    const keyed = bash('echo 1', { idempotencyKey: 'once' })
    const other = { ...keyed, code: 'echo 2' }
    await check({ operation: 'POST /v1/executions', status: 202, body: keyed })
    await check({ operation: 'POST /v1/executions', status: 409, body: other })
    await check({ operation: 'POST /v1/executions/many', status: 409, body: { jobs: [other] } })
    const jobs = [bash('echo 1')]
    await check({ operation: 'POST /v1/batches', status: 202, body: { idempotencyKey: 'k', jobs } })
    await check({ operation: 'POST /v1/batches', status: 409, body: { idempotencyKey: 'k', jobs: [other] } })
    const many = Array(400).fill(bash('sleep 5'))
    const full = await check({ operation: 'POST /v1/batches', status: 202, body: { jobs: many } })
    await check({ operation: 'POST /v1/executions/many', status: 503, body: { jobs: many } })
    await check({ operation: 'POST /v1/batches', status: 503, body: { jobs: many } })
    await check({ operation: 'DELETE /v1/batches/{id}', path: `/v1/batches/${full.id}`, status: 200 })
    await check({ operation: 'GET /v1/executions', path: '/v1/executions?limit=0', status: 400 })
    await check({ operation: 'DELETE /v1/executions', status: 400 })
    const queued = '/v1/queue/executions'
    await check({ operation: `GET ${queued}`, path: `${queued}?cursor=x`, status: 400 })
    const { id } = await check({ operation: 'POST /v1/executions', status: 202, body: bash('sleep 5') })
    const unfinished = `/v1/executions/${id}`
    const output = 'GET /v1/executions/{id}/output/{stream}'
    await check({ operation: output, path: `${unfinished}/output/stdout`, status: 409 })
    const file = 'GET /v1/executions/{id}/files/{*}'
    await check({ operation: file, path: `${unfinished}/files/a`, status: 409 })
    await check({ operation: 'DELETE /v1/executions/{id}', path: `/v1/executions/${id}`, status: 200 })
  })

  it('are as documented for an unknown id, a key without the scope and a key over its rate', async () => {
    const { keys } = access
    const reader = await keys.create({ name: 'r', tenant: 'r', scopes: ['read'] })
    const writer = await keys.create({ name: 'w', tenant: 'w', scopes: ['submit'] })
    const slow = await keys.create({ name: 's', tenant: 's', scopes: ['admin'], requestsPerMinute: 1 })
    await fetch(`${url}/v1/queue`, { headers: { 'x-api-key': slow.token } })
    for (const [operation] of operations()) {
      const [method, template = ''] = operation.split(' ')
      if (!/^\/(v1\/|execute)/.test(template)) continue
      const path = template.replace('{id}', 'j-none').replace('{stream}', 'stdout').replace('{*}', 'a.txt')
      if (template.includes('{id}')) await check({ operation, path, status: 404 })
      if (template.includes('{id}')) {
        await check({ operation, path: path.replace('j-none', 'x'.repeat(200)), status: 400 })
      }
      const submits = method === 'POST' || method === 'DELETE'
      const { token } = submits ? reader : writer
      const sent = method === 'POST' ? bodyFor(template) : undefined
      await check({ operation, path, status: 403, body: sent, headers: { 'x-api-key': token } })
      await check({ operation, path, status: 429, body: sent, headers: { 'x-api-key': slow.token } })
      await check({ operation, path, status: 401, body: sent, headers: { authorization: 'Bearer nonsense' } })
    }
  })

  it('were all received, except those that need an outage or a stalled caller', () => {
    const documentedAnswers = operations()
      .filter(([name]) => / \/(v1\/|execute|health)/.test(name))
      .flatMap(([name, { responses }]) => Object.keys(responses).map((status) => `${name} ${status}`))
    const missing = documentedAnswers.filter((answer) => !seen.has(answer) && !/ (503|408)$/.test(answer))
    expect(missing).toEqual([])
  })
})
