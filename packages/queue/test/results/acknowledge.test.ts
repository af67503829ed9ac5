import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { collect, until, useBench } from '../harness.ts'

const bench = useBench()

function connection(): Redis {
  return new Redis({ path: bench.url.replace('redis+unix://', ''), maxRetriesPerRequest: null })
}

test('a plain BullMQ worker and our consumer can share a results queue, and each result goes to one of them', async () => {
  const redis = connection()
  const theirs: string[] = []
  const worker = new Worker(
    'results-default',
    async (job) => {
      theirs.push(job.data.id)
    },
    { connection: redis, prefix: bench.key(), concurrency: 2 },
  )
  const producer = await bench.producer()
  const ours = collect(producer)
  const consumer = await bench.consumer()
  consumer.run()
  const ids: string[] = []
  for (let n = 0; n < 200; n++) ids.push(await bench.enqueue())
  await until(() => ours.length + theirs.length >= ids.length)
  expect([...theirs, ...ours.map(({ id }) => id)].sort()).toEqual(ids.sort())
  expect(theirs.length).toBeGreaterThan(0)
  expect(ours.length).toBeGreaterThan(0)
  await worker.close()
  redis.disconnect()
})

test('a paused results queue hands out nothing, and continues after it is resumed', async () => {
  const redis = connection()
  const queue = new Queue('results-default', { connection: redis, prefix: bench.key() })
  const producer = await bench.producer()
  const consumer = await bench.consumer()
  consumer.run()
  const ids = await Promise.all(Array.from({ length: 20 }, () => bench.enqueue()))
  await until(async () => (await bench.redis.keys(bench.key('result:*'))).length === ids.length)
  const seen: string[] = []
  producer.results(
    'default',
    async ({ id }) => {
      seen.push(id)
      if (seen.length === 1) await queue.pause()
    },
    { concurrency: 1 },
  )
  await until(() => seen.length > 0)
  await until(async () => (await bench.redis.llen(bench.key('results-default:active'))) === 0)
  expect(seen).toHaveLength(1)
  await queue.resume()
  await until(() => seen.length === ids.length)
  expect([...seen].sort()).toEqual([...ids].sort())
  await queue.close()
  redis.disconnect()
})

test('a consumer that lost the lock of a result cannot acknowledge it', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer()
  consumer.run()
  const id = await bench.enqueue()
  await producer.waitForResult(id)
  const lock = bench.key('results-default', `r-${id}`, 'lock')
  let turns = 0
  producer.results('default', async () => {
    turns += 1
    await bench.redis.set(lock, 'of-another')
  })
  await until(() => turns === 1)
  await until(async () => (await bench.redis.get(lock)) === 'of-another')
  await new Promise((done) => setTimeout(done, 200))
  expect(await bench.redis.exists(bench.key('results-default', `r-${id}`))).toBe(1)
  expect(await bench.redis.lrange(bench.key('results-default:active'), 0, -1)).toEqual([`r-${id}`])
})

test('an acknowledged result leaves no key', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const consumer = await bench.consumer()
  consumer.run()
  const id = await bench.enqueue()
  await until(() => results.length === 1)
  await until(async () => (await bench.redis.llen(bench.key('results-default:active'))) === 0)
  expect(await bench.redis.keys(bench.key('results-default', `r-${id}*`))).toEqual([])
})
