import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { collect, echoResult, FAST_LOCKS, until, useBench } from './harness.ts'

const bench = useBench()

test('the end of a job and the start of the next one are one command', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const consumer = await bench.consumer(undefined, { concurrency: 1 })
  const ids = await Promise.all(Array.from({ length: 50 }, () => bench.enqueue()))
  await bench.redis.config('RESETSTAT')
  consumer.run()
  await until(() => results.length === ids.length)
  const stats = await bench.redis.info('commandstats')
  const calls = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
  // One for each job and one for each result; the rest looks for jobs where none waits.
  expect(calls('evalsha')).toBeGreaterThanOrEqual(90)
  expect(calls('evalsha')).toBeLessThan(200)
  // Nor is there a command of its own for the look at a job before it runs; the one is of the start, for slots of dead workers.
  expect(calls('mget')).toBeLessThanOrEqual(1)
  expect(calls('multi')).toBe(0)
})

test('a next job that has its result already is not run', async () => {
  const [first, second] = [await bench.enqueue(), await bench.enqueue()]
  await bench.redis.set(bench.key('result', second), '{}')
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

test('a next job that is to be cancelled is not run, be it flagged before it is taken or called out right after', async () => {
  const producer = await bench.producer()
  const [first, flagged, called] = [await bench.enqueue(), await bench.enqueue(), await bench.enqueue()]
  await bench.redis.set(bench.key('cancel', flagged), '1')
  const runs: string[] = []
  const consumer = await bench.consumer(
    async (delivery, signal) => {
      runs.push(delivery.id)
      if (delivery.id === first) {
        // The message comes while the job that it is for is still on its way to this process.
        await bench.redis.publish(bench.key('cancel'), called)
        await sleep(50)
      }
      signal.throwIfAborted()
      return echoResult(delivery)
    },
    { concurrency: 1 },
  )
  consumer.run()
  expect(await producer.waitForResult(flagged)).toMatchObject({ status: 'cancelled' })
  expect(await producer.waitForResult(called)).toMatchObject({ status: 'cancelled' })
  expect(runs).toEqual([first])
})

test('connections that break at any moment cost no job, no result, and publish none twice', async () => {
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
  // What was on its way to a broken connection comes again when its lock has run out, after 10 s and more.
  await until(() => seen.size === ids.length, 'all results', 90)
  expect([...seen.keys()].sort()).toEqual([...ids].sort())
  await until(async () => (await consumer.stats()).active === 0)
  const published = consumer.events.flatMap((event) =>
    event.type === 'published' && event.outcome === 'ok' ? [event.result.id] : [],
  )
  expect(new Set(published).size).toBe(published.length)
  expect((await bench.redis.keys(bench.key('results-default', 'r-*'))).length).toBe(0)
}, 120_000)
