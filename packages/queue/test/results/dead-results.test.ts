import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { type DeadResult, openDeadResults, type ResultsConsumerOptions } from '../../src/index.ts'
import { Keys } from '../../src/redis/keys.ts'
import { sweepResults } from '../../src/results/sweep-results.ts'
import { until, useBench } from '../harness.ts'

const bench = useBench()

/** A results queue whose handler rejects until it is mended, and the list of dead results. */
async function brokenConsumer(options: ResultsConsumerOptions = {}) {
  const consumer = await bench.consumer()
  consumer.run()
  const producer = await bench.producer()
  const dead = await openDeadResults({ url: bench.url, prefix: bench.prefix })
  onTestFinished(() => dead.close())
  const handled: string[] = []
  const errors: string[] = []
  const state = { isBroken: true }
  producer.results(
    'default',
    async ({ id }) => {
      handled.push(id)
      if (state.isBroken) throw new Error('no database')
    },
    { maxDeliveries: 2, onError: ({ message }) => errors.push(message), ...options },
  )
  const list = async (replyTo?: string) => {
    const found: DeadResult[] = []
    for await (const result of dead.list(replyTo)) found.push(result)
    return found
  }
  return { consumer, producer, dead, handled, errors, list, state }
}

// promise: dead-results
test('a result that its handler always rejects is dead after the maximum of deliveries, and can be delivered again', async () => {
  const { consumer, producer, dead, handled, errors, list, state } = await brokenConsumer()
  const id = await bench.enqueue()
  await until(async () => (await list()).length === 1)
  expect(handled).toEqual([id, id])
  expect(errors).toEqual(['no database', 'no database', expect.stringMatching(/2 times and is dead/)])
  const [found] = await list()
  expect(found).toMatchObject({ id, replyTo: 'default', deliveries: 2, error: 'no database' })
  expect(found?.givenUpAt).toBeGreaterThan(Date.now() - 60_000)
  expect(await list('other')).toEqual([])
  expect((await consumer.stats()).results).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 1 })
  // It can still be read by its id, and other results are delivered.
  expect(await producer.storedResult(id)).toMatchObject({ id, status: 'success' })

  state.isBroken = false
  expect(await dead.redeliver('j-none')).toBe(false)
  expect(await dead.redeliver(id)).toBe(true)
  await until(() => handled.length === 3)
  await until(async () => (await bench.redis.exists(bench.key('results-default', `r-${id}`))) === 0)
  expect(await list()).toEqual([])
  expect(await dead.redeliver(id)).toBe(false)
})

test('deliveries to consumers that died count, too', async () => {
  const { handled, list, producer } = await brokenConsumer({ concurrency: 1 })
  const id = await bench.enqueue({ replyTo: 'dying' })
  await producer.waitForResult(id)
  await bench.redis.hset(bench.key('results-dying', `r-${id}`), 'ats', '2')
  producer.results('dying', async () => void handled.push('called'), { maxDeliveries: 2 })
  await until(async () => (await list('dying')).length === 1)
  expect(handled).toEqual([])
  expect(await list('dying')).toMatchObject([{ id, error: 'its consumers died' }])
})

test('dead results expire with the time to live, and their queue is forgotten then', async () => {
  const { list } = await brokenConsumer({ maxDeliveries: 1 })
  const id = await bench.enqueue()
  await until(async () => (await list()).length === 1)
  const redis = new Redis({ path: bench.url.replace('redis+unix://', ''), maxRetriesPerRequest: null })
  onTestFinished(() => redis.disconnect())
  const keys = new Keys(bench.prefix)
  await sweepResults(redis, keys, 100)
  expect(await list()).toHaveLength(1)
  const old = Date.now() - 101_000
  await redis.hset(keys.results('default', `r-${id}`), 'finishedOn', String(old))
  await redis.zadd(keys.results('default', 'failed'), old, `r-${id}`)
  await sweepResults(redis, keys, 100)
  expect(await list()).toEqual([])
  expect(await redis.exists(keys.results('default', `r-${id}`))).toBe(0)
})
