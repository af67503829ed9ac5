import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { JobDeferred } from '../../src/index.ts'
import { echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

test.concurrent('a job that is deferred for longer than it may be is given up, with the reason', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async () => {
    throw new JobDeferred(50, 'its image is missing; the job waited 0.3 s for it', { maxMs: 300 })
  })
  consumer.run()
  const result = await producer.waitForResult(await bench.enqueue())
  expect(result).toMatchObject({
    status: 'setup_error',
    attributable: false,
    errorMessage: 'its image is missing; the job waited 0.3 s for it',
  })
  expect(result.attempt).toBeGreaterThan(2)
})

test.concurrent('the wait starts anew for a job that waited for a worker meanwhile', async () => {
  const producer = await bench.producer()
  let starts = 0
  const consumer = await bench.consumer(async (delivery) => {
    starts += 1
    if (starts === 1) void consumer.pause()
    if (starts <= 2) throw new JobDeferred(10, 'the engine is gone', { maxMs: 300 })
    return echoResult(delivery)
  })
  consumer.run()
  const id = await bench.enqueue()
  await until(() => consumer.events.some(({ type }) => type === 'deferred'))
  await sleep(600)
  consumer.resume()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
  expect(starts).toBe(3)
})

test.concurrent('a deferral is reported, and leaves a key only for as long as the job may wait', async () => {
  const producer = await bench.producer()
  const error = new JobDeferred(10, 'the engine is gone', { maxMs: 60_000 })
  let starts = 0
  const consumer = await bench.consumer(async (delivery) => {
    starts += 1
    if (starts === 1) throw error
    return echoResult(delivery)
  })
  consumer.run()
  const id = await bench.enqueue()
  await producer.waitForResult(id)
  expect(consumer.events).toContainEqual({ type: 'deferred', id, error })
  const left = await bench.redis.pttl(bench.key('deferred-since', id))
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(60_010)
})
