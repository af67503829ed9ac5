import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { openProducer } from '@isopod/queue'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openBatch } from '../../src/batch/batch.ts'
import { signCallback } from '../../src/batch/callback.ts'
import { deliver } from '../../src/batch/deliver.ts'
import { type Sample, SIGNATURE_HEADER, verifyCallback } from '../../src/index.ts'
import { useBench } from '../harness.ts'
import { judge } from './programs.ts'

const bench = useBench()
const SECRET = 'between us'
const neverAborted = new AbortController().signal

interface Received {
  readonly body: string
  readonly signature: string | undefined
  readonly path: string | undefined
}

let server: ReturnType<typeof createServer>
let url = ''
let received: Received[] = []
let answer: (response: ServerResponse, count: number) => void

beforeEach(async () => {
  received = []
  answer = (response) => response.end()
  server = createServer(async (request: IncomingMessage, response) => {
    const signature = request.headers[SIGNATURE_HEADER]
    received.push({
      body: await text(request),
      signature: typeof signature === 'string' ? signature : undefined,
      path: request.url,
    })
    answer(response, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/done`
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

// promise: batch-callback
test('the summary of a batch is posted once, signed, and not again by later runs', async () => {
  const client = await bench.client()
  await bench.worker(judge)
  const samples: Sample[] = ['pass', 'fail'].map((code) => ({ id: code, problem: 'p', job: { code } }))
  const run = () => client.batch({ id: 'reported', samples, callback: { url, secret: SECRET } }).summary()
  const { callback, ...summary } = await run()
  expect(callback).toBe('delivered')
  expect(await run()).toEqual({ ...summary, callback })
  expect(received.length).toBe(1)
  const { body = '', signature } = received[0] ?? {}
  expect(JSON.parse(body)).toEqual(summary)
  expect(verifyCallback(body, signature, SECRET)).toBe(true)
  expect(verifyCallback(body, signature, 'a guess')).toBe(false)
  // Verified as the documentation describes it, without verifyCallback.
  const [, seconds, digest] = /^t=(\d+),v1=(\w+)$/.exec(signature ?? '') ?? []
  expect(createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex')).toBe(digest)
})

test('a failing receiver is tried again, and a redirect is not followed', async () => {
  answer = (response, count) => {
    if (count === 1) response.writeHead(500)
    if (count === 2) response.writeHead(302, { location: url.replace('/done', '/elsewhere') })
    if (count === 3) return void response.destroy()
    response.end('x'.repeat(100_000))
  }
  expect(await deliver({ url, secret: SECRET }, '{}', neverAborted, 5)).toBe(true)
  expect(received.map(({ path }) => path)).toEqual(['/done', '/done', '/done', '/done'])
})

test('a refused callback is given up after five attempts, the summary says so, and the next run delivers it', async () => {
  const producer = await openProducer({ url: bench.url, prefix: bench.prefix })
  onTestFinished(() => producer.close())
  await bench.worker(judge)
  const samples: Sample[] = [{ id: 'a', problem: 'p', job: { code: 'pass' } }]
  const parts = { producer, checkLanguages: async () => {}, closing: neverAborted, onRun: () => {} }
  answer = (response) => response.writeHead(503).end()
  const run = () =>
    openBatch(
      { ...parts, callbackPauseMs: 5 },
      { id: 'late', samples, callback: { url, secret: SECRET } },
    ).summary()
  expect(await run()).toMatchObject({ passed: 1, callback: 'failed' })
  expect(received.length).toBe(5)
  answer = (response) => response.end()
  expect(await run()).toMatchObject({ passed: 1, callback: 'delivered' })
  expect(received.length).toBe(6)
})

test('an abort ends the delivery', async () => {
  answer = (response) => response.writeHead(503).end()
  const controller = new AbortController()
  const delivering = deliver({ url, secret: SECRET }, '{}', controller.signal)
  setTimeout(() => controller.abort(new Error('no more')), 100)
  await expect(delivering).rejects.toThrow('no more')
  expect(received.length).toBe(1)
})

test('verifyCallback accepts only bodies that are unchanged, recent, and signed with the secret', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string({ minLength: 1 }),
      fc.string({ minLength: 1 }),
      fc.integer({ min: 1, max: 2_000_000_000 }),
      (body, secret, other, seconds) => {
        const now = seconds * 1000
        const signature = signCallback(body, secret, seconds)
        expect(verifyCallback(body, signature, secret, { now })).toBe(true)
        expect(verifyCallback(Buffer.from(body), signature, secret, { now: now + 300_000 })).toBe(true)
        expect(verifyCallback(body, signature, secret, { now: now + 301_000 })).toBe(false)
        expect(verifyCallback(body, signature, secret, { now: now - 301_000 })).toBe(false)
        expect(verifyCallback(`${body} `, signature, secret, { now })).toBe(false)
        expect(verifyCallback(body, signature, other, { now })).toBe(secret === other)
        const later = signature.replace(`t=${seconds}`, `t=${seconds + 1}`)
        expect(verifyCallback(body, later, secret, { now })).toBe(false)
      },
    ),
  )
  for (const given of [undefined, '', 't=1,v1=', 'v1=00', ['t=1'], `t=1,v1=${'0'.repeat(64)}`]) {
    expect(verifyCallback('{}', given, SECRET, { now: 1000 })).toBe(false)
  }
  expect(verifyCallback('{}', signCallback('{}', '', 1), '', { now: 1000 })).toBe(false)
})

test('a callback URL must be http or https, and nothing starts otherwise', async () => {
  const client = await bench.client()
  const open = (target: string, secret = SECRET) =>
    client.batch({ samples: [], callback: { url: target, secret } })
  expect(() => open('ftp://127.0.0.1/x')).toThrow(/^callback\.url: must be an http or https URL, got "ftp:/)
  expect(() => open('/done')).toThrow(/^callback\.url/)
  expect(() => open('http://user:pass@127.0.0.1/')).toThrow('callback.url: must have no user and password')
  expect(() => open(url, '')).toThrow(/^callback\.secret/)
})
