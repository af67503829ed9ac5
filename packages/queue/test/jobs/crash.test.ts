import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { openWebhookQueue } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()
const DYING_WORKER = fileURLToPath(new URL('../fixtures/dying-worker.ts', import.meta.url))

async function letWorkerDie(moment: 'mid-job' | 'mid-job later' | 'published'): Promise<void> {
  const child = spawn(process.execPath, [DYING_WORKER, bench.url, bench.prefix, moment], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' })
}

test.concurrent('a job of a killed worker runs again on another, with one result', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const id = await bench.enqueue()
  await letWorkerDie('mid-job')
  expect(await producer.storedResult(id)).toBeUndefined()
  const consumer = await bench.consumer((delivery) => Promise.resolve(echoResult(delivery, 'w2')), {
    workerId: 'w2',
  })
  consumer.run()
  const result = await producer.waitForResult(id)
  expect(result).toMatchObject({ status: 'success', attempt: 2, workerId: 'w2' })
  expect(consumer.events).toContainEqual({ type: 'stalled', id })
  await until(() => results.length > 0)
  expect(results).toEqual([result])
})

test.concurrent('a job whose worker was killed after the publication does not run again and has one result', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const id = await bench.enqueue()
  await letWorkerDie('published')
  expect(await producer.storedResult(id)).toMatchObject({ workerId: 'dying' })
  let runs = 0
  const consumer = await bench.consumer(async (delivery) => {
    runs += 1
    return echoResult(delivery)
  })
  consumer.run()
  await until(() => consumer.events.some((event) => event.type === 'alreadyPublished'))
  await until(async () => (await bench.redis.exists(bench.key('jobs', id))) === 0)
  expect(runs).toBe(0)
  expect(results.map((result) => result.workerId)).toEqual(['dying'])
})

// promise: webhook-loss
test.concurrent.for(['mid-job', 'published'] as const)(
  'a job whose worker was killed (%s) has one webhook',
  async (moment, { onTestFinished }) => {
    const producer = await bench.producer()
    const webhooks = await openWebhookQueue({ url: bench.url, prefix: bench.prefix })
    onTestFinished(() => webhooks.close())
    const claim = () => webhooks.claim({ tenants: [], targets: [] }, 60_000)
    const id = await bench.enqueue({ callbackUrl: 'https://example.org/' })
    await letWorkerDie(moment)
    const atDeath = await claim()
    if (moment === 'mid-job') expect(atDeath).toBeUndefined()
    else expect(atDeath).toMatchObject({ id })
    const consumer = await bench.consumer()
    consumer.run()
    await producer.waitForResult(id)
    await until(async () => (await bench.redis.exists(bench.key('jobs', id))) === 0)
    const afterwards = await claim()
    if (moment === 'mid-job') expect(afterwards).toMatchObject({ id })
    else expect(afterwards).toBeGreaterThan(0)
    expect(await claim()).toBeGreaterThan(0)
  },
)

// promise: worker-deaths
test.concurrent(
  'a job whose workers die within a second of its start is not blamed',
  async () => {
    const producer = await bench.producer()
    const id = await bench.enqueue()
    for (let death = 0; death < 3; death++) await letWorkerDie('mid-job')
    const consumer = await bench.consumer()
    consumer.run()
    expect(await producer.waitForResult(id)).toMatchObject({ status: 'success', attempt: 4 })
  },
  scaled(30_000),
)

// promise: worker-deaths
test.concurrent(
  'a job that kills its workers is given up with a result after five of them',
  async () => {
    const producer = await bench.producer()
    const id = await bench.enqueue()
    // As if three workers had died with it, each after more than a second.
    await bench.redis.hset(bench.key('jobs', id), { stc: 3, ats: 3 })
    await bench.redis.hset(bench.key('starts', id), { 1: 'first x', 2: 'second x', 3: 'third x' })
    for (let death = 0; death < 2; death++) await letWorkerDie('mid-job later')
    // As if its lease had expired.
    await bench.redis.del(bench.key('lease:dying'))
    let runs = 0
    const consumer = await bench.consumer(async (delivery) => {
      runs += 1
      return echoResult(delivery)
    })
    consumer.run()
    const result = await producer.waitForResult(id)
    expect(result).toMatchObject({ status: 'setup_error', attempt: 6 })
    expect(result.errorMessage).toBe('the worker died 5 times while it ran this job')
    expect(runs).toBe(0)
    expect(await bench.redis.exists(bench.key('starts', id))).toBe(0)
  },
  scaled(30_000),
)

test.concurrent('a job that kills its workers within a second is given up at its eleventh start', async () => {
  const producer = await bench.producer()
  const id = await bench.enqueue()
  await bench.redis.hset(bench.key('jobs', id), { stc: 10, ats: 10 })
  const consumer = await bench.consumer()
  consumer.run()
  expect(await producer.waitForResult(id)).toMatchObject({
    status: 'setup_error',
    errorMessage: 'the job was started 11 times and never ended',
  })
})
