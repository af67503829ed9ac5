import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { newWebhookSecret, WebhookSecrets } from '@isopod/webhooks'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Received, startReceiver } from '../../packages/webhooks/test/receiver.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

const setting = newWebhookSecret()
const secrets = new WebhookSecrets(setting)
const run = promisify(execFile)

let world: World
let gateway: Gateway

const startGateway = () =>
  startTestGateway(world, {
    ISOPOD_GATEWAY_WEBHOOK_SECRET: setting,
    ISOPOD_GATEWAY_WEBHOOK_ALLOW: '127.0.0.1',
    ISOPOD_GATEWAY_WEBHOOK_TIMEOUT_SECONDS: '1',
    ISOPOD_GATEWAY_WEBHOOK_PAUSE_SECONDS: '0.05',
    ISOPOD_GATEWAY_WEBHOOK_TRIES: '2',
    ISOPOD_GATEWAY_DROP_INS: 'judge0',
    // No proxy listens at this address, so a webhook that used the proxy of the environment would not arrive.
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: 'http://127.0.0.1:9',
  })

beforeAll(async () => {
  world = await startWorld({ workers: 0 })
  ;[gateway] = await Promise.all([startGateway(), world.addWorker()])
})

afterAll(async () => {
  await gateway?.close()
  await world?.close()
})

// biome-ignore lint/suspicious/noExplicitAny: specs say what they expect of each answer.
type Body = any

async function ask(method: string, path: string, body?: unknown, token?: string): Promise<Body> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, ...((await answer.json()) as object) }
}

const bash = (code: string, callbackUrl: string, more: object = {}) => ({
  language: 'bash',
  code,
  callbackUrl,
  ...more,
})

/** Verifies the signature of a webhook as a receiver would, and returns its body. */
function verified({ body, headers }: Received, tenant = 'default'): Body {
  return new Verifier(secrets.secretOf(tenant)).verify(body, headers as Record<string, string>)
}

async function arrived(received: readonly Received[], count: number): Promise<void> {
  await expect.poll(() => received.length, { timeout: scaled(20_000) }).toBeGreaterThanOrEqual(count)
}

/** Runs the command `isopod` on the queue of this spec. */
async function isopod(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['apps/cli/bin/isopod.js', ...args], {
    env: { ...process.env, REDIS_URL: world.redisUrl, ISOPOD_QUEUE_PREFIX: world.prefix },
  })
  return stdout
}

// promise: webhooks
describe('a finished execution', () => {
  it('is sent to the URL of its job, signed, in the form of the API', async () => {
    const { url, received } = await startReceiver()
    const before = Date.now()
    const { id } = await ask('POST', '/v1/executions', bash('echo hi', `${url}/hook?a=b`))
    await arrived(received, 1)
    const [webhook] = received as [Received]
    expect(webhook).toMatchObject({ method: 'POST', path: '/hook?a=b', headers: { 'webhook-id': id } })
    const { status: _, ...execution } = await ask('GET', `/v1/executions/${id}`)
    expect(execution.result.stdout).toBe('hi\n')
    const event = verified(webhook)
    expect(event).toEqual({ type: 'execution.finished', timestamp: expect.any(String), data: execution })
    expect(Date.parse(event.timestamp)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(event.timestamp)).toBeLessThanOrEqual(Date.now())
  })

  it('is sent in the form that the OpenAPI document describes', async () => {
    const { url, received } = await startReceiver()
    await ask('POST', '/v1/executions', bash('printf "a\\377b"; exit 3', url, { tests: [{ stdin: '' }] }))
    await arrived(received, 1)
    const { headers, body } = received[0] as Received
    const { webhooks } = await ask('GET', '/openapi.json')
    const { parameters, requestBody } = webhooks.executionFinished.post
    const names = Object.keys(headers).filter((name) => name.startsWith('webhook-'))
    expect(parameters.map(({ name }: { name: string }) => name).sort()).toEqual(names.sort())
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const accepts = ajv.compile(requestBody.content['application/json'].schema)
    expect(accepts(JSON.parse(String(body))), JSON.stringify(accepts.errors)).toBe(true)
    expect(accepts({ ...JSON.parse(String(body)), data: {} })).toBe(false)
  })

  it.each([
    [
      'that was refused by policy',
      'curl http://a',
      { policy: { mode: 'enforce', rules: 'strict' } },
      'validation_error',
    ],
    ['that fails', 'exit 3', {}, 'execution_error'],
    ['whose network does not exist', 'true', { network: 'nowhere' }, 'validation_error'],
  ])('%s is sent too', async (_, code, more, status) => {
    const { url, received } = await startReceiver()
    await ask('POST', '/v1/executions', bash(code, url, more))
    await arrived(received, 1)
    expect(verified(received[0] as Received).data.result.status).toBe(status)
  })

  it('that was cancelled is sent too', async () => {
    const { url, received } = await startReceiver()
    const { id } = await ask('POST', '/v1/executions', bash('sleep 30', url))
    await ask('DELETE', `/v1/executions/${id}`)
    await arrived(received, 1)
    expect(verified(received[0] as Received).data).toMatchObject({ id, result: { status: 'cancelled' } })
  })

  it('that took its result from the cache is sent too, to its own URL', async () => {
    const { url, received } = await startReceiver()
    for (const path of ['/a', '/b']) {
      await ask('POST', '/v1/executions?wait=30', bash('echo cached', `${url}${path}`, { cache: true }))
    }
    await arrived(received, 2)
    expect(received.map(({ path }) => path).sort()).toEqual(['/a', '/b'])
    const cached = received.map((webhook) => verified(webhook).data.result.cached ?? false)
    expect(cached.filter(Boolean)).toHaveLength(1)
  })

  it('that was a submission of Judge0 is sent by PUT in Judge0’s form', async () => {
    const { url, received } = await startReceiver()
    const submission = { source_code: 'echo "grün"', language_id: 46, callback_url: `${url}/judge0` }
    const { token } = await ask('POST', '/submissions', submission)
    await arrived(received, 1)
    const [put] = received as [Received]
    expect(put).toMatchObject({ method: 'PUT', path: '/judge0' })
    expect(verified(put)).toMatchObject({
      token,
      stdout: 'Z3LDvG4K\n',
      stderr: null,
      compile_output: null,
      message: null,
      status: { id: 3, description: 'Accepted' },
    })
    const refused = await ask('POST', '/submissions', { ...submission, callback_url: 'http://10.0.0.1/' })
    expect(refused).toEqual({
      status: 422,
      callback_url: [expect.stringContaining('its address is private')],
    })
  })

  it('that no receiver accepts is given up, counted and listed, and `isopod webhooks redeliver` sends it again', async () => {
    let isUp = false
    const { url, received } = await startReceiver((response) => response.writeHead(isUp ? 200 : 500).end())
    const { id } = await ask('POST', '/v1/executions', bash('true', `${url}/?key=hunter2`))
    const listed = async () => (await isopod('webhooks', 'list', '--failed', '--json')).trim()
    await expect.poll(listed, { timeout: scaled(20_000), interval: 300 }).not.toBe('')
    expect(JSON.parse(await listed())).toMatchObject({ id, tries: 2, error: 'answered 500', state: 'dead' })
    isUp = true
    await isopod('webhooks', 'redeliver', id)
    await arrived(received, 3)
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]))
    expect(await listed()).toBe('')

    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics).toMatch(/isopod_gateway_webhook_tries_total\{outcome="delivered"\} \d/)
    expect(metrics).toContain('isopod_gateway_webhook_tries_total{outcome="dead"} 1')
    expect(metrics).toContain('isopod_gateway_webhooks_dead 0')
    expect(metrics + (await gateway.log())).not.toMatch(/hunter2|\/hook/)
  })
})

// promise: webhook-targets
describe('a callback URL', () => {
  it('with a forbidden address is refused, the refusal names the field, and nothing is enqueued', async () => {
    const before = (await ask('GET', '/v1/executions?limit=1')).executions
    const one = await ask('POST', '/v1/executions', bash('true', 'http://169.254.169.254/latest'))
    expect(one).toMatchObject({
      status: 400,
      errors: [{ field: 'callbackUrl', message: expect.stringContaining('link-local') }],
    })
    const jobs = [bash('true', 'https://example.org/'), bash('true', 'http://0x7f000002/')]
    expect(await ask('POST', '/v1/executions/many', { jobs })).toMatchObject({
      status: 400,
      errors: [{ field: 'jobs[1].callbackUrl', message: expect.stringContaining('loopback') }],
    })
    expect(await ask('POST', '/v1/executions', bash('true', 'https://a:b@example.org/'))).toMatchObject({
      status: 400,
      errors: [{ field: 'callbackUrl', message: expect.stringContaining('no user and password') }],
    })
    expect((await ask('GET', '/v1/executions?limit=1')).executions).toEqual(before)
  })

  it('with a forbidden address that bypassed the gateway is given up without a request', async () => {
    // Submitted directly to the queue, so the gateway does not check the URL first.
    const id = await world.client.submit(bash('true', 'http://127.0.0.2/'))
    const listed = async () => await isopod('webhooks', 'list', '--failed')
    await expect.poll(listed, { timeout: scaled(20_000), interval: 300 }).toContain('the address is loopback')
    expect(await listed()).toContain(`${id}  dead `)
  })
})

// promise: webhook-loss
it('webhooks of a killed gateway, and of jobs that finished while no gateway ran, are sent once one runs', async () => {
  const { url, received } = await startReceiver((response, count) => {
    if (count > 1) response.writeHead(204).end()
  })
  const { id } = await ask('POST', '/v1/executions', bash('echo 1', url))
  await arrived(received, 1)
  process.kill(gateway.process.process.pid, 'SIGKILL')
  await gateway.close()
  const other = await world.client.submit(bash('echo 2', url))
  await world.client.wait(other)
  gateway = await startGateway()
  await arrived(received, 3)
  expect(received.map(({ headers }) => headers['webhook-id']).sort()).toEqual([id, id, other].sort())
  for (const webhook of received) expect(verified(webhook).type).toBe('execution.finished')
})

// promise: webhooks
it('a tenant’s webhooks are signed with a secret of its own', async () => {
  const { token } = await gateway.access.keys.create({ name: 'ci', tenant: 'ci', scopes: ['submit', 'read'] })
  const { url, received } = await startReceiver()
  await ask('POST', '/v1/executions', bash('true', url), token)
  await arrived(received, 1)
  const [webhook] = received as [Received]
  expect(verified(webhook, 'ci').data.result.tenant).toBe('ci')
  expect(() => verified(webhook)).toThrow('No matching signature')
})
