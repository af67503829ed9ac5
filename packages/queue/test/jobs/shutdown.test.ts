import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { JobInterrupted } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

test('draining lets a short job end and takes no further jobs', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(
    async (delivery) => {
      await sleep(200)
      return echoResult(delivery)
    },
    { concurrency: 1 },
  )
  consumer.run()
  const first = await bench.enqueue()
  await until(() => consumer.events.some((event) => event.type === 'taken'))
  const second = await bench.enqueue()
  await consumer.drain(5000)
  expect(await producer.storedResult(first)).toMatchObject({ status: 'success' })
  expect(await producer.storedResult(second)).toBeUndefined()
  expect(await consumer.stats()).toMatchObject({ prioritized: 1, active: 0 })
})

test('a job that does not end in time is requeued, and another worker finishes it', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const causes: unknown[] = []
  const leaving = await bench.consumer(async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    causes.push(signal.reason instanceof JobInterrupted && signal.reason.cause)
    throw signal.reason
  })
  leaving.run()
  const id = await bench.enqueue()
  await until(() => leaving.events.some((event) => event.type === 'taken'))
  await leaving.drain(100)
  await leaving.close()
  expect(causes).toEqual(['shutdown'])
  expect(leaving.events).toContainEqual({ type: 'requeued', id })
  expect(await bench.redis.lrange(bench.key('jobs:wait'), 0, -1)).toEqual([id])
  expect(await bench.redis.hget(bench.key('jobs', id), 'atm')).toBeNull()
  const staying = await bench.consumer(async (delivery) => echoResult(delivery, 'w2'), { workerId: 'w2' })
  staying.run()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success', attempt: 2, workerId: 'w2' })
  await until(() => results.length === 1)
})

test('a paused worker takes no jobs until it is resumed', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer()
  consumer.run()
  await producer.waitForResult(await bench.enqueue())
  await consumer.pause()
  const id = await bench.enqueue()
  await sleep(300)
  expect(await producer.storedResult(id)).toBeUndefined()
  consumer.resume()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
})

test('the lease of a worker lasts as long as the worker', async () => {
  const one = await bench.consumer()
  const two = await bench.consumer(undefined, { workerId: 'w2' })
  expect(await one.lease.alive(['w1', 'w2', 'w3'])).toEqual(new Set(['w1', 'w2']))
  expect(await bench.redis.pttl(bench.key('lease:w2'))).toBeGreaterThan(15_000)
  await two.close()
  expect(await one.lease.alive(['w1', 'w2', 'w3'])).toEqual(new Set(['w1']))
})

test('a role stays with one holder until it leaves', async () => {
  const one = await bench.consumer()
  const two = await bench.consumer(undefined, { workerId: 'w2' })
  expect(await one.claim('gauges', 60_000)).toBe(true)
  expect(await one.claim('gauges', 60_000)).toBe(true)
  expect(await two.claim('gauges', 60_000)).toBe(false)
  await one.close()
  expect(await two.claim('gauges', 60_000)).toBe(true)
})

test('producers see the age of the oldest waiting job and the languages of the workers', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer()
  expect(await producer.catalogue()).toBeUndefined()
  await consumer.registerCatalogue([{ name: 'python', version: '3.13', aliases: ['py'] }])
  expect(await producer.catalogue()).toEqual([{ name: 'python', version: '3.13', aliases: ['py'] }])
  const absent = { name: 'ruby', version: '3.3', aliases: [], missingImage: 'isopod/ruby:3.3' }
  await consumer.registerCatalogue([absent])
  expect(await producer.catalogue()).toEqual([absent])
  expect((await consumer.stats()).oldestWaitingAgeSeconds).toBe(0)
  const before = Date.now()
  await bench.enqueue()
  await until(async () => (await consumer.stats()).oldestWaitingAgeSeconds >= 0.1, 'an age')
  const { oldestWaitingAgeSeconds, prioritized } = await consumer.stats()
  expect(prioritized).toBe(1)
  // By the clock of Redis, which each process estimates.
  expect(oldestWaitingAgeSeconds).toBeLessThanOrEqual((Date.now() - before) / 1000 + 1)
})
