import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { parseJob } from '@isopod/protocol'
import { newJobId, openProducer, openWebhookQueue, type Producer, type WebhookQueue } from '@isopod/queue'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { selfSigned } from '../../../test/support/self-signed.ts'
import { scaled } from '../../../test/support/time-factor.ts'
import {
  type DelivererOptions,
  type ListedWebhook,
  newWebhookSecret,
  parseTargetRules,
  WebhookDeliverer,
  type WebhookEvent,
  WebhookSecrets,
} from '../src/index.ts'
import { startReceiver } from './receiver.ts'

let directory: string
let server: RedisServer
let producer: Producer
let queue: WebhookQueue
let tests = 0

const secrets = new WebhookSecrets(newWebhookSecret())
const LOOPBACK = parseTargetRules(['127.0.0.1'])

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-webhooks-'))
  server = await startRedisServer({ directory })
})

beforeEach(async () => {
  tests += 1
  const options = { url: server.url, prefix: `t${tests}` }
  producer = await openProducer(options)
  queue = await openWebhookQueue(options)
})

afterEach(async () => {
  await producer.close()
  queue.close()
})

afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

async function all(listed: AsyncIterable<ListedWebhook>): Promise<ListedWebhook[]> {
  const found: ListedWebhook[] = []
  for await (const webhook of listed) found.push(webhook)
  return found
}

/** Ends an execution without a worker, by cancelling it. */
async function finish(callbackUrl: string, tenant = 'a'): Promise<string> {
  const id = newJobId()
  await producer.enqueue([{ id, job: parseJob({ code: 'x', callbackUrl, tenant }) }])
  expect(await producer.cancel(id)).toBe('cancelled')
  return id
}

/** A deliverer that stops at the end of the test, and its reports. */
function deliver(options: Partial<DelivererOptions> = {}) {
  const events: WebhookEvent[] = []
  const deliverer = new WebhookDeliverer({
    queue,
    secrets,
    contentOf: (result) => ({ method: 'POST', body: JSON.stringify({ data: { id: result.id } }) }),
    targets: LOOPBACK,
    timeoutMs: 400,
    maxTries: 5,
    firstPauseMs: 20,
    concurrency: 8,
    observe: (event) => events.push(event),
    ...options,
  })
  deliverer.start()
  onTestFinished(() => deliverer.stop(0))
  const reported = async (count: number): Promise<string[]> => {
    await expect.poll(() => events.length, { timeout: scaled(10_000) }).toBeGreaterThanOrEqual(count)
    return events.map((event) => ('reason' in event ? `${event.type}: ${event.reason}` : event.type))
  }
  return { deliverer, reported }
}

describe('a webhook', () => {
  it('reaches its receiver once, signed', async () => {
    const { url, received } = await startReceiver()
    const { reported } = deliver()
    const id = await finish(`${url}/hook?a=b`)
    expect(await reported(1)).toEqual(['delivered'])
    expect(received).toMatchObject([
      {
        method: 'POST',
        path: '/hook?a=b',
        headers: { 'webhook-id': id, 'content-type': 'application/json', host: url.slice('http://'.length) },
      },
    ])
    const { body = '', headers } = received[0] ?? {}
    const verifier = new Verifier(secrets.secretOf('a'))
    expect(verifier.verify(body, headers as Record<string, string>)).toEqual({ data: { id } })
    expect(await queue.claim({ tenants: [], targets: [] }, 1)).toBeUndefined()
  })

  it('is retried with the same id until the receiver accepts it', async () => {
    const { url, received } = await startReceiver((response, count) =>
      response.writeHead(count < 3 ? 500 : 200).end('thanks'),
    )
    const { reported } = deliver()
    const id = await finish(url)
    expect(await reported(3)).toEqual(['retried: answered 500', 'retried: answered 500', 'delivered'])
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id])
  })

  it.each([
    [410, ['dead: answered 410']],
    [404, ['retried: answered 404', 'dead: answered 404']],
  ])('that is answered %s is reported as %j', async (status, expected) => {
    const { url, received } = await startReceiver((response) => response.writeHead(status).end())
    const { reported } = deliver({ maxTries: 2 })
    const id = await finish(url)
    expect(await reported(expected.length)).toEqual(expected)
    expect(received).toHaveLength(expected.length)
    expect(await all(queue.dead())).toMatchObject([{ id, error: `answered ${status}` }])
  })

  it('follows no redirect', async () => {
    const other = await startReceiver()
    const { url } = await startReceiver((response) => response.writeHead(307, { location: other.url }).end())
    const { reported } = deliver({ maxTries: 1 })
    await finish(url)
    expect(await reported(1)).toEqual(['dead: answered 307'])
    expect(other.received).toEqual([])
  })

  it('does not use proxies of the environment', async () => {
    const proxy = await startReceiver()
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) process.env[name] = proxy.url
    process.env['NODE_USE_ENV_PROXY'] = '1'
    onTestFinished(() => {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'])
        delete process.env[name]
    })
    const { url, received } = await startReceiver()
    const { reported } = deliver()
    await finish(url)
    expect(await reported(1)).toEqual(['delivered'])
    expect([received.length, proxy.received.length]).toEqual([1, 0])
  })
})

describe('a receiver', () => {
  it('that does not answer delays an attempt at most until its timeout', async () => {
    const { url } = await startReceiver(() => {})
    const { reported } = deliver({ maxTries: 1 })
    await finish(url)
    expect(await reported(1)).toEqual(['dead: no answer within 0.4 s'])
  })

  it('that sends endless or too large headers is disconnected', async () => {
    const { url } = await startReceiver((response, count) => {
      const { socket } = response
      if (count === 1) socket?.write('HTTP/1.1 200 OK\r\nx: ')
      else socket?.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`)
    })
    const { reported } = deliver({ maxTries: 2 })
    await finish(url)
    expect(await reported(2)).toEqual([
      'retried: no answer within 0.4 s',
      expect.stringMatching(/^dead: the connection failed \(HPE_/),
    ])
  })

  it('whose answer never ends counts as successful and is disconnected', async () => {
    let sent = 0
    const { url } = await startReceiver((response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384
        sent += 16_384
      }
      response.on('drain', more)
      more()
    })
    const { reported } = deliver()
    await finish(url)
    expect(await reported(1)).toEqual(['delivered'])
    const before = sent
    await sleep(200)
    expect(sent).toBe(before)
    // Only the kernel's buffers of both ends can have been sent in addition.
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  it('that hangs delays neither other tenants nor other targets of its tenant', async () => {
    const hanging = await startReceiver(() => {})
    const good = await startReceiver()
    for (let at = 0; at < 20; at++) await finish(hanging.url, 'slow')
    const ids = [await finish(good.url, 'slow'), await finish(good.url, 'other')]
    deliver({ timeoutMs: 5_000 })
    await expect.poll(() => good.received.length, { timeout: scaled(3_000) }).toBe(2)
    expect(good.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(ids.sort())
    // One target gets at most a quarter of the 8 concurrent attempts.
    await expect.poll(() => hanging.received.length).toBe(2)
    await sleep(100)
    expect(hanging.received).toHaveLength(2)
  })
})

it('webhooks with large results are sent one after the other', async () => {
  const hanging = await startReceiver(() => {})
  for (const tenant of ['a', 'b', 'c']) await finish(hanging.url, tenant)
  const { reported } = deliver({ maxBytes: 1, timeoutMs: 300, maxTries: 1 })
  await expect.poll(() => hanging.received.length).toBe(1)
  await sleep(100)
  expect(hanging.received).toHaveLength(1)
  expect(await reported(3)).toHaveLength(3)
  expect(hanging.received).toHaveLength(3)
})

it('a webhook whose content cannot be created is given up', async () => {
  const { url, received } = await startReceiver()
  await finish(url)
  const contentOf = () => {
    throw new RangeError('Invalid time value')
  }
  expect(await deliver({ contentOf }).reported(1)).toEqual(['dead: its content cannot be made'])
  expect(received).toEqual([])
})

describe('a target', () => {
  const refused = 'dead: the address is loopback'
  const NONE = parseTargetRules([])

  it.each(['127.0.0.1', 'localhost'])('%s is not called unless it is allowed', async (host) => {
    const { url, received } = await startReceiver()
    const { reported } = deliver({ targets: NONE })
    await finish(url.replace('127.0.0.1', host))
    expect(await reported(1)).toEqual([refused])
    expect(received).toEqual([])
  })

  it('that is allowed by name may have any address', async () => {
    const { url, received } = await startReceiver()
    const { reported } = deliver({
      targets: parseTargetRules(['inside.example']),
      resolve: async () => ['127.0.0.1'],
    })
    await finish(url.replace('127.0.0.1', 'INSIDE.example.'))
    expect(await reported(1)).toEqual(['delivered'])
    expect(received).toHaveLength(1)
  })

  it('is resolved once per attempt, so an answer that changes to loopback is never called', async () => {
    const { url, received } = await startReceiver()
    const { port } = new URL(url)
    let asked = 0
    // 198.18.0.0/15 stands for the public internet: no route leads there from here, and it is allowed for this spec.
    const resolve = async () => [asked++ === 0 ? '198.18.0.1' : '127.0.0.1']
    const { reported } = deliver({ targets: parseTargetRules(['198.18.0.0/15']), resolve, timeoutMs: 300 })
    await finish(`http://rebinding.example:${port}/`)
    const events = await reported(2)
    expect(events[0]).toMatch(/^retried: /)
    expect(events[1]).toBe(refused)
    expect(asked).toBe(2)
    expect(received).toEqual([])
  })

  it('is called at an allowed address if only some of its addresses are', async () => {
    const { url, received } = await startReceiver()
    const { reported } = deliver({ resolve: async () => ['10.255.255.1', '::1', '127.0.0.1'] })
    await finish(url.replace('127.0.0.1', 'mixed.example'))
    expect(await reported(1)).toEqual(['delivered'])
    expect(received[0]?.headers.host).toBe(`mixed.example:${new URL(url).port}`)
  })

  it('whose name cannot be resolved is retried', async () => {
    const { reported } = deliver({ maxTries: 2, resolve: async () => [] })
    await finish('http://nowhere.example/')
    expect(await reported(2)).toEqual([
      'retried: the name cannot be resolved',
      'dead: the name cannot be resolved',
    ])
  })
})

describe('TLS', () => {
  it('requires a trusted certificate for the host name of the URL', async () => {
    const { key, cert } = selfSigned('secure.example')
    const hosts: unknown[] = []
    const receiver = createTlsServer({ key, cert }, (request, response) => {
      hosts.push(request.headers.host, (request.socket as unknown as { servername: string }).servername)
      request.resume()
      response.writeHead(200).end()
    })
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void receiver.close())
    const { port } = receiver.address() as AddressInfo
    const { reported } = deliver({ resolve: async () => ['127.0.0.1'], firstPauseMs: 100 })

    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    onTestFinished(() => void delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])
    await finish(`https://secure.example:${port}/`)
    expect(await reported(1)).toEqual(['retried: the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)'])
    expect(hosts).toEqual([])

    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, cert])
    onTestFinished(() => setDefaultCACertificates(trusted))
    expect((await reported(2)).at(-1)).toBe('delivered')
    expect(hosts).toEqual([`secure.example:${port}`, 'secure.example'])
  })
})

describe('a deliverer', () => {
  it('that stops releases its unfinished deliveries, and the next one continues', async () => {
    const { url, received } = await startReceiver((response, count) => {
      if (count > 1) response.writeHead(200).end()
    })
    const id = await finish(url)
    const first = deliver({ timeoutMs: 30_000, firstPauseMs: 60_000 })
    await expect.poll(() => received.length).toBe(1)
    await first.deliverer.stop(0)
    const { reported } = deliver()
    expect(await reported(1)).toEqual(['delivered'])
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([id, id])
  })

  it('gives up webhooks with which deliverers died repeatedly', async () => {
    const { url, received } = await startReceiver()
    const id = await finish(url)
    for (let died = 0; died < 2; died++) {
      expect(await queue.claim({ tenants: [], targets: [] }, 0)).toMatchObject({ id })
      await sleep(2)
    }
    const { reported } = deliver({ maxTries: 2 })
    expect(await reported(1)).toEqual(['dead: it was tried 2 times'])
    expect(received).toEqual([])
  })

  it('shares the queue with others', async () => {
    const { url, received } = await startReceiver()
    const [one, other] = [deliver(), deliver()]
    for (let at = 0; at < 50; at++) await finish(`${url}/${at}`)
    await expect.poll(async () => (await one.reported(0)).length + (await other.reported(0)).length).toBe(50)
    expect(new Set(received.map(({ path }) => path)).size).toBe(50)
    expect(received).toHaveLength(50)
  })
})
