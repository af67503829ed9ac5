import { setTimeout as sleep } from 'node:timers/promises'
import { TerminalError } from '@isopod/protocol'
import { afterEach, expect, test } from 'vitest'
import {
  type BusyWebhooks,
  type ClaimedWebhook,
  type Handle,
  type ListedWebhook,
  openWebhookQueue,
  type WebhookQueue,
} from '../../src/index.ts'
import { useBench } from '../harness.ts'

const bench = useBench()
const closers: (() => unknown)[] = []
const IDLE: BusyWebhooks = { tenants: [], targets: [] }
const LEASE_MS = 60_000

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function openWebhooks(options: { resultTtlSeconds?: number } = {}): Promise<WebhookQueue> {
  const webhooks = await openWebhookQueue({ url: bench.url, prefix: bench.prefix, ...options })
  closers.push(() => webhooks.close())
  return webhooks
}

async function all(listed: AsyncIterable<ListedWebhook>): Promise<ListedWebhook[]> {
  const found: ListedWebhook[] = []
  for await (const webhook of listed) found.push(webhook)
  return found
}

/** Ends a job without a worker. */
async function finish(callbackUrl: string, tenant = 'a'): Promise<string> {
  const producer = await bench.producer()
  const id = await bench.enqueue({ callbackUrl, tenant })
  expect(await producer.cancel(id)).toBe('cancelled')
  return id
}

async function claimed(webhooks: WebhookQueue, busy = IDLE, leaseMs = LEASE_MS): Promise<ClaimedWebhook> {
  const found = await webhooks.claim(busy, leaseMs)
  if (typeof found !== 'object') throw new Error(`nothing is due, but ${found}`)
  return found
}

const platformFault: Handle = () => Promise.reject(new TerminalError('no'))

test.each<[string, Handle | undefined]>([
  ['ends', undefined],
  ['is given up', platformFault],
])('a job that %s has one webhook, however often its result is published', async (_, handle) => {
  const webhooks = await openWebhooks()
  const producer = await bench.producer()
  const consumer = await bench.consumer(handle)
  const id = await bench.enqueue({ callbackUrl: 'https://example.org:8443/hook?a=b', tenant: 'a' })
  consumer.run()
  await producer.waitForResult(id)
  const webhook = await claimed(webhooks)
  expect(webhook).toMatchObject({
    id,
    url: 'https://example.org:8443/hook?a=b',
    tenant: 'a',
    target: 'example.org:8443',
    tries: 1,
  })
  expect(await webhooks.result(id)).toMatchObject({ id })
  await webhooks.delivered(webhook)
  expect(await producer.cancel(id)).toBe('finished')
  expect(await webhooks.claim(IDLE, LEASE_MS)).toBeUndefined()
  expect((await bench.redis.keys(bench.key('webhook*'))).sort()).toEqual([])
})

test('a job without a callback URL has no webhook', async () => {
  const webhooks = await openWebhooks()
  const producer = await bench.producer()
  const id = await bench.enqueue()
  await producer.cancel(id)
  expect(await webhooks.claim(IDLE, LEASE_MS)).toBeUndefined()
})

test('a key of the wrong type loses no webhook and no result', async () => {
  const webhooks = await openWebhooks()
  await bench.redis.set(bench.key('webhooks:tenants'), 'x')
  await bench.redis.set(bench.key('webhooks:targets:a'), 'x')
  await bench.redis.set(bench.key('webhooks:due:a:example.org'), 'x')
  const id = await finish('https://example.org/')
  expect(await claimed(webhooks)).toMatchObject({ id })
})

test('an unsettled claim ends with its lease, and its holder can no longer settle it', async () => {
  const webhooks = await openWebhooks()
  const id = await finish('https://example.org/')
  const first = await claimed(webhooks, IDLE, 200)
  expect(await webhooks.claim(IDLE, LEASE_MS)).toBeGreaterThan(0)
  await sleep(250)
  const second = await claimed(webhooks)
  expect(second).toMatchObject({ id, tries: 2 })
  expect(await webhooks.retry(first, 0, 'late')).toBe('lost')
  expect(await webhooks.retry(second, 0, 'refused')).toBe('retry')
  expect(await claimed(webhooks)).toMatchObject({ id, tries: 3, error: 'refused' })
})

test('an attempt waits for its pause, and a released one does not count', async () => {
  const webhooks = await openWebhooks()
  const id = await finish('https://example.org/')
  await webhooks.release(await claimed(webhooks))
  const again = await claimed(webhooks)
  expect(again.tries).toBe(1)
  await webhooks.retry(again, 300, 'answered 500')
  const wait = await webhooks.claim(IDLE, LEASE_MS)
  expect(wait).toBeGreaterThan(100)
  expect(wait).toBeLessThanOrEqual(300)
  await sleep(320)
  expect(await claimed(webhooks)).toMatchObject({ id, tries: 2 })
})

test('tenants take turns, and so do the targets of one', async () => {
  const webhooks = await openWebhooks()
  const order: string[] = []
  for (let at = 0; at < 3; at++) await finish(`https://one.example/${at}`, 'greedy')
  await finish('https://two.example/0', 'greedy')
  await finish('https://three.example/0', 'modest')
  for (let at = 0; at < 5; at++) {
    // The order of two turns within one millisecond is undefined.
    await sleep(2)
    const { tenant, target } = await claimed(webhooks)
    order.push(`${tenant} ${target}`)
  }
  // The tenant `modest` came last, and waits only for one webhook of the other.
  expect(order.slice(0, 2).sort()).toEqual(['greedy one.example', 'modest three.example'])
  expect(order.slice(0, 3)).toContain('greedy two.example')
})

test('busy tenants and targets are skipped', async () => {
  const webhooks = await openWebhooks()
  await finish('https://one.example/', 'a')
  await finish('https://two.example/', 'a')
  await finish('https://one.example/', 'b')
  const busy = { tenants: ['b'], targets: [{ tenant: 'a', target: 'one.example' }] }
  const webhook = await claimed(webhooks, busy)
  expect(webhook).toMatchObject({ tenant: 'a', target: 'two.example' })
  await webhooks.delivered(webhook)
  expect(typeof (await webhooks.claim(busy, LEASE_MS))).not.toBe('object')
  expect(await claimed(webhooks, { tenants: ['a'], targets: [] })).toMatchObject({ tenant: 'b' })
})

test('a dead webhook is listed, and a redelivery starts from the first attempt', async () => {
  const webhooks = await openWebhooks()
  const [dead, waiting] = [await finish('https://one.example/'), await finish('https://two.example/')]
  const webhook = await claimed(webhooks)
  expect(webhook.id).toBe(dead)
  await webhooks.bury(webhook, 'answered 410')
  expect(await webhooks.deadCount()).toBe(1)
  expect(await all(webhooks.dead())).toMatchObject([
    { id: dead, state: 'dead', error: 'answered 410', tries: 1, url: 'https://one.example/' },
  ])
  expect(await all(webhooks.waiting())).toMatchObject([{ id: waiting, state: 'waiting', tries: 0 }])
  expect(await webhooks.redeliver(waiting)).toBe(false)
  expect(await webhooks.redeliver('../x')).toBe(false)
  let arrivals = 0
  await webhooks.onArrival(() => {
    arrivals += 1
  })
  expect(await webhooks.redeliver(dead)).toBe(true)
  expect(await webhooks.redeliver(dead)).toBe(false)
  const ids = [(await claimed(webhooks)).id, (await claimed(webhooks)).id]
  expect(ids.sort()).toEqual([dead, waiting].sort())
  await expect.poll(() => arrivals).toBe(1)
})

test('a webhook is dead if its next attempt would come after its result expires; dead ones expire with their result', async () => {
  const webhooks = await openWebhooks({ resultTtlSeconds: 100 })
  const id = await finish('https://example.org/')
  await bench.redis.expire(bench.key('webhook', id), 10)
  const webhook = await claimed(webhooks)
  expect(await webhooks.retry(webhook, 11_000, 'answered 500')).toBe('dead')
  expect(await all(webhooks.dead())).toMatchObject([{ id, error: 'answered 500' }])
  await bench.redis.del(bench.key('webhook', id))
  expect(await all(webhooks.dead())).toEqual([])
  expect(await webhooks.redeliver(id)).toBe(false)
})

test('an expired webhook is skipped and leaves no key', async () => {
  const webhooks = await openWebhooks()
  await bench.redis.del(bench.key('webhook', await finish('https://one.example/')))
  const kept = await finish('https://two.example/')
  const webhook = await claimed(webhooks)
  expect(webhook.id).toBe(kept)
  await webhooks.delivered(webhook)
  expect(await bench.redis.keys(bench.key('webhooks:*'))).toEqual([])
})

test('all keys of a webhook have a time to live', async () => {
  const webhooks = await openWebhooks()
  await finish('https://one.example/')
  await webhooks.bury(await claimed(webhooks), 'x')
  await finish('https://two.example/')
  const keys = await bench.redis.keys(bench.key('webhook*'))
  expect(keys.length).toBeGreaterThan(4)
  for (const key of keys) expect(await bench.redis.ttl(key), key).toBeGreaterThan(0)
})
