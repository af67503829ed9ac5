import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { echoResult, FAST_LOCKS, until, useBench } from '../harness.ts'

const bench = useBench()

test('a job whose result is published is completed without a run', async () => {
  const [first, second] = [await bench.enqueue(), await bench.enqueue()]
  await bench.redis.hset(bench.key('jobs', second), 'progress', '"published"')
  const runs: string[] = []
  const consumer = await bench.consumer(
    async (delivery) => {
      runs.push(delivery.id)
      return echoResult(delivery)
    },
    { concurrency: 1 },
  )
  consumer.run()
  await until(() => consumer.events.some(({ type }) => type === 'alreadyPublished'))
  expect(runs).toEqual([first])
  await until(async () => (await bench.redis.exists(bench.key('jobs', second))) === 0)
})

test('a job cancelled before or just after it is taken does not run', async () => {
  const producer = await bench.producer()
  const [first, noted, called] = [await bench.enqueue(), await bench.enqueue(), await bench.enqueue()]
  await bench.redis.hset(bench.key('jobs', noted), 'progress', '"cancelled"')
  const runs: string[] = []
  const consumer = await bench.consumer(
    async (delivery, signal) => {
      runs.push(delivery.id)
      if (delivery.id === first) {
        // The cancel message arrives before the job.
        await bench.redis.publish(bench.key('cancel'), called)
        await sleep(50)
      }
      signal.throwIfAborted()
      return echoResult(delivery)
    },
    { concurrency: 1 },
  )
  consumer.run()
  expect(await producer.waitForResult(noted)).toMatchObject({ status: 'cancelled' })
  expect(await producer.waitForResult(called)).toMatchObject({ status: 'cancelled' })
  expect(runs).toEqual([first])
})

test('broken connections lose no jobs or results, and publish none twice', {
  timeout: scaled(120_000),
}, async () => {
  const producer = await bench.producer()
  const seen = new Map<string, number>()
  producer.results('default', async ({ id }) => {
    seen.set(id, (seen.get(id) ?? 0) + 1)
  })
  const consumer = await bench.consumer(undefined, { ...FAST_LOCKS, concurrency: 8 })
  const ids = await Promise.all(Array.from({ length: 400 }, () => bench.enqueue()))
  consumer.run()
  for (let n = 0; n < 6; n++) {
    await sleep(15)
    await bench.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await bench.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
  }
  // A job or result that was lost with its connection is taken again when its lock has expired, after 10 s or more.
  await until(() => seen.size === ids.length, 'all results', 90)
  expect([...seen.keys()].sort()).toEqual([...ids].sort())
  await until(async () => (await consumer.stats()).active === 0)
  const published = consumer.events.flatMap((event) =>
    event.type === 'published' && event.outcome === 'ok' ? [event.result.id] : [],
  )
  expect(new Set(published).size).toBe(published.length)
  expect((await bench.redis.keys(bench.key('results-default', 'r-*'))).length).toBe(0)
})
