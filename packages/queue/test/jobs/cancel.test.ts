import { resultSchema } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { JobInterrupted, unexecutedJobResult } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

test.concurrent('a waiting job is cancelled at once: it has a complete result, never runs, and leaves no key', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const id = await bench.enqueue({ tenant: 'acme', labels: { a: 'b' } })
  const waiting = producer.waitForResult(id)
  expect(await producer.cancel(id)).toBe('cancelled')
  const result = resultSchema.parse(await waiting)
  expect(result).toMatchObject({
    status: 'cancelled',
    attempt: 0,
    tenant: 'acme',
    labels: { a: 'b' },
    workerId: '',
  })
  await until(() => results.length === 1)
  expect(await bench.redis.exists(bench.key('jobs', id))).toBe(0)
  const consumer = await bench.consumer()
  expect(await consumer.stats()).toMatchObject({ waiting: 0, prioritized: 0, active: 0 })
  expect(await producer.cancel(id)).toBe('finished')
  expect(await producer.cancel('j-nope')).toBe('unknown')
  expect(await producer.cancel('../x:y')).toBe('unknown')
})

test.concurrent('a waiting job with a priority can be cancelled', async () => {
  const producer = await bench.producer()
  const id = await bench.enqueue({ priority: 5 })
  expect(await producer.cancel(id)).toBe('cancelled')
  expect(await bench.redis.zcard(bench.key('jobs:prioritized'))).toBe(0)
})

test.concurrent('cancelling a running job aborts its handler, whose result is published', async () => {
  const producer = await bench.producer()
  const causes: unknown[] = []
  const consumer = await bench.consumer(async ({ id, job, attempt }, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    causes.push(signal.reason instanceof JobInterrupted && signal.reason.cause)
    return unexecutedJobResult({
      id,
      job,
      attempt,
      status: 'cancelled',
      errorMessage: 'stopped',
      workerId: 'w1',
    })
  })
  consumer.run()
  const id = await bench.enqueue()
  await until(() => consumer.events.some((event) => event.type === 'taken'))
  expect(await producer.cancel(id)).toBe('requested')
  expect(await producer.waitForResult(id)).toMatchObject({
    status: 'cancelled',
    errorMessage: 'stopped',
    attempt: 1,
  })
  expect(causes).toEqual(['cancelled'])
  await until(async () => (await bench.redis.exists(bench.key('jobs', id))) === 0)
})

test.concurrent('a handler that throws when cancelled still has a cancelled result', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    throw signal.reason
  })
  consumer.run()
  const id = await bench.enqueue()
  await until(() => consumer.events.some((event) => event.type === 'taken'))
  await producer.cancel(id)
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'cancelled', attempt: 1 })
})

test.concurrent('the worker that takes a job sees a request to cancel whose message was lost', async () => {
  const producer = await bench.producer()
  const id = await bench.enqueue()
  await bench.redis.hset(bench.key('jobs', id), 'progress', '"cancelled"')
  let runs = 0
  const consumer = await bench.consumer(async (delivery) => {
    runs += 1
    return echoResult(delivery)
  })
  consumer.run()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'cancelled', attempt: 1 })
  expect(runs).toBe(0)
})

test.concurrent('a request to cancel whose message was lost during the run is found in the job', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    throw signal.reason
  })
  consumer.run()
  const id = await bench.enqueue()
  await until(() => consumer.events.some((event) => event.type === 'taken'))
  await bench.redis.hset(bench.key('jobs', id), 'progress', '"cancelled"')
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'cancelled' })
})

test.concurrent('jobs cancelled while workers take them have exactly one result each', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const consumer = await bench.consumer(
    async ({ id, job, attempt }, signal) => {
      if (signal.aborted) throw signal.reason
      return echoResult({ id, job, attempt, enqueuedAt: 0, takenAt: 0, stalls: 0, faults: 0 })
    },
    { concurrency: 3 },
  )
  consumer.run()
  const ids = await Promise.all(Array.from({ length: 150 }, () => bench.enqueue()))
  const outcomes = await Promise.all(ids.map((id) => producer.cancel(id)))
  await Promise.all(ids.map((id) => producer.waitForResult(id)))
  await until(() => results.length >= ids.length)
  expect(results.map((result) => result.id).sort()).toEqual([...ids].sort())
  const statuses = new Map(results.map((result) => [result.id, result.status]))
  ids.forEach((id, index) => {
    if (outcomes[index] === 'cancelled') expect(statuses.get(id)).toBe('cancelled')
    expect(outcomes[index]).not.toBe('unknown')
  })
})
