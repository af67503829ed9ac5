import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EgressEvent, EgressProxy } from '../../src/network/egress-proxy.ts'
import { compileNetworks } from '../../src/network/profiles.ts'

/** A listener with a full backlog: it answers no connection. */
const DEAF = `const { parentPort } = require('node:worker_threads')
const server = require('node:net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`

const CLIENT_TIMEOUT_MS = 1_000

const deaf = new Worker(DEAF, { eval: true })
const fillers: Socket[] = []
let deafPort = 0

beforeAll(async () => {
  const [port] = await once(deaf, 'message')
  deafPort = Number(port)
  for (let n = 0; n < 8; n++) fillers.push(connect(deafPort, '127.0.0.1').on('error', () => {}))
  await sleep(300)
  expect(fillers.some(({ connecting }) => connecting)).toBe(true)
})

afterAll(async () => {
  for (const socket of fillers) socket.destroy()
  await deaf.terminate()
})

/** The proxy of a job that may connect to some ports of this machine; `dial` connects to it. */
async function open(ports: readonly number[], limits: object = {}) {
  const profile = {
    egress: ports.map((port) => `127.0.0.1:${port}`),
    allow_private: ['127.0.0.1/32'],
    ...limits,
  }
  const egress = compileNetworks({ profiles: { local: profile } }, 'net.yaml').get('local')
  if (egress === undefined) throw new Error('no profile')
  const events: EgressEvent[] = []
  const proxy = new EgressProxy(egress, (event) => events.push(event), CLIENT_TIMEOUT_MS)
  const listener = createServer({ allowHalfOpen: true }, (client) => proxy.accept(client)).listen(
    0,
    '127.0.0.1',
  )
  await once(listener, 'listening')
  const dial = async (request: string) => {
    const client = connect((listener.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
    await once(client, 'connect')
    client.write(request)
    return client
  }
  const end = async () => {
    await proxy.close()
    listener.close()
  }
  return { proxy, events, dial, [Symbol.asyncDispose]: end }
}

const asks = (port: number) => `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`

describe.concurrent('the proxy of a job', () => {
  it('waits for a slow target as long as its profile says, and then answers with the reason', async () => {
    await using job = await open([deafPort], { connect_timeout_seconds: 1.3 })
    const { events, dial } = job
    const answer = await text(await dial(asks(deafPort)))
    expect(answer).toMatch(/^HTTP\/1.1 502 .*connecting took too long\.\n$/s)
    expect(events).toMatchObject([{ outcome: 'failed', reason: 'connecting took too long' }])
    expect(events[0]?.ms).toBeGreaterThanOrEqual(1_250)
  })

  it('closes a connection that sends no request, and one that stays open after a refusal', async () => {
    await using job = await open([1])
    const { dial } = job
    const silent = await dial('CONNECT ')
    const refused = await dial(asks(2))
    await Promise.all([silent, refused].map((client) => once(client.resume(), 'close')))
  })

  it('reports every connection, even one that closes without a request', async () => {
    await using job = await open([1])
    const { events, dial } = job
    for (const start of ['', 'CONNECT 127.0.0.1:1 HT']) {
      const client = await dial(start)
      await sleep(50)
      client.resetAndDestroy()
    }
    while (events.length < 2) await sleep(5)
    expect(events).toMatchObject([
      { target: null, outcome: 'failed', reason: 'it made no request' },
      { target: null, outcome: 'failed', reason: 'it made no request' },
    ])
    expect(events[0]?.ms).toBeGreaterThan(20)
  })

  it('has reported every connection, in whatever state, once it is closed', async () => {
    await using server = createServer((socket) => socket.on('error', () => {}).resume())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    await using job = await open([port, deafPort])
    const { proxy, events, dial } = job
    const relayed = await dial(asks(port))
    await once(relayed, 'data')
    await dial(asks(deafPort))
    await dial('CONN')
    await sleep(100)
    expect(events).toEqual([])
    await proxy.close()
    expect(events.map(({ outcome, reason }) => `${outcome}: ${reason}`).sort()).toEqual([
      'allowed: the job ended',
      'failed: it made no request',
      'failed: the job ended',
    ])
    expect(events.find(({ reason }) => reason === 'it made no request')?.ms).toBeGreaterThan(50)
    await dial(asks(port))
    await sleep(100)
    expect(events).toHaveLength(3)
  })
})
