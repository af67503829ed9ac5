import { RetryableError, TerminalError } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { JobInterrupted } from '../src/index.ts'
import { PLATFORM_TRIES } from '../src/options.ts'
import { collect, echoResult, until, useBench } from './harness.ts'

const bench = useBench()

test('a platform fault is tried again after a pause, and the job then succeeds', async () => {
  const producer = await bench.producer()
  const faults: number[] = []
  const consumer = await bench.consumer(async (delivery) => {
    faults.push(delivery.faults)
    if (faults.length < 2) throw new RetryableError('the engine is away')
    return echoResult(delivery)
  })
  consumer.run()
  const id = await bench.enqueue()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success', attempt: 2 })
  expect(faults).toEqual([0, 1])
  expect(consumer.events).toContainEqual({
    type: 'retried',
    id,
    error: new RetryableError('the engine is away'),
  })
})

test('after the last try a platform fault is published as setup_error', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  let runs = 0
  const consumer = await bench.consumer(async () => {
    runs += 1
    throw new RetryableError('the engine is away')
  })
  consumer.run()
  const id = await bench.enqueue()
  expect(await producer.waitForResult(id)).toMatchObject({
    status: 'setup_error',
    attempt: PLATFORM_TRIES,
    attributable: false,
    errorMessage: 'the engine is away',
  })
  expect(runs).toBe(PLATFORM_TRIES)
  await until(() => results.length === 1)
  expect(await bench.redis.exists(bench.key('jobs:failed'), bench.key('jobs', id))).toBe(0)
})

test('a job that is handed back without having run is no start that came to nothing', async () => {
  const producer = await bench.producer()
  let starts = 0
  const consumer = await bench.consumer(async (delivery) => {
    starts += 1
    if (starts <= 10) throw new JobInterrupted('crowded')
    return echoResult(delivery)
  })
  consumer.run()
  expect(await producer.waitForResult(await bench.enqueue())).toMatchObject({
    status: 'success',
    attempt: 11,
  })
})

test('a job that somebody else has completed is not made anew by handing it back', async () => {
  const key = (id: string) => bench.key('jobs', id)
  const consumer = await bench.consumer(async ({ id }) => {
    // What the completion by another worker leaves, as far as this one can tell.
    await bench.redis
      .multi()
      .del(key(id), `${key(id)}:lock`)
      .lrem(bench.key('jobs:active'), 0, id)
      .exec()
    throw new JobInterrupted('crowded')
  })
  consumer.run()
  const id = await bench.enqueue()
  await until(() => consumer.events.some(({ type }) => type === 'error'))
  expect(await bench.redis.exists(key(id))).toBe(0)
})

test('any other error is published at once', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async ({ job }) => {
    throw job.code === 'a' ? new TerminalError('no such image') : new TypeError('a bug')
  })
  consumer.run()
  const [a, b] = [await bench.enqueue({ code: 'a' }), await bench.enqueue({ code: 'b' })]
  expect(await producer.waitForResult(a)).toMatchObject({ attempt: 1, errorMessage: 'no such image' })
  expect(await producer.waitForResult(b)).toMatchObject({ attempt: 1, errorMessage: 'a bug' })
})

test('a giveUp that throws still leaves a result', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(
    async () => {
      throw new TerminalError('first')
    },
    {
      giveUp: () => {
        throw new Error('second')
      },
    },
  )
  consumer.run()
  const id = await bench.enqueue()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'setup_error', errorMessage: 'first' })
})

test('a job that the queue failed by itself gets its result from the sweep', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const id = await bench.enqueue({ tenant: 'acme' })
  await bench.redis.lrem(bench.key('jobs:wait'), 1, id)
  await bench.redis.zadd(bench.key('jobs:failed'), 1, id)
  await bench.redis.hset(bench.key('jobs', id), { failedReason: 'broken pipe', ats: '3' })
  const consumer = await bench.consumer()
  consumer.run()
  expect(await producer.waitForResult(id)).toMatchObject({
    status: 'setup_error',
    attempt: 3,
    tenant: 'acme',
    errorMessage: 'broken pipe',
  })
  await until(() => results.length === 1)
  await until(async () => (await bench.redis.exists(bench.key('jobs:failed'), bench.key('jobs', id))) === 0)
})

test('a worker that lost a job aborts it and publishes nothing, while the new owner does', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const causes: unknown[] = []
  let runs = 0
  const consumer = await bench.consumer(
    async (delivery, signal) => {
      runs += 1
      if (runs > 1) return echoResult(delivery, 'new owner')
      await bench.redis.set(bench.key('jobs', delivery.id, 'lock'), 'stolen', 'PX', 600)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      causes.push(signal.reason instanceof JobInterrupted && signal.reason.cause)
      return echoResult(delivery, 'old owner')
    },
    { lockDurationMs: 1000 },
  )
  consumer.run()
  const id = await bench.enqueue()
  expect(await producer.waitForResult(id)).toMatchObject({ workerId: 'new owner', attempt: 2 })
  expect(causes).toEqual(['lease-lost'])
  await until(() => results.length === 1)
  expect(results.map((result) => result.workerId)).toEqual(['new owner'])
})

test('a start that was overtaken unnoticed is fenced: its result appears nowhere', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  let runs = 0
  const consumer = await bench.consumer(async (delivery) => {
    runs += 1
    if (runs > 1) return echoResult(delivery, 'new owner')
    // What another worker does when it takes the job, as far as this one can tell.
    await bench.redis.hincrby(bench.key('jobs', delivery.id), 'ats', 1)
    return echoResult(delivery, 'old owner')
  })
  consumer.run()
  const id = await bench.enqueue()
  expect(await producer.waitForResult(id)).toMatchObject({ workerId: 'new owner', attempt: 3 })
  expect(consumer.events).toContainEqual(
    expect.objectContaining({
      type: 'published',
      outcome: 'fenced',
      result: expect.objectContaining({ id, status: 'success' }),
    }),
  )
  await until(() => results.length === 1)
  expect(results.map((result) => result.workerId)).toEqual(['new owner'])
})
