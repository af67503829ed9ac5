import { RetryableError, TerminalError } from '@isopod/protocol'
import { Queue } from 'bullmq'
import { expect, test } from 'vitest'
import { JobDeferred, JobInterrupted } from '../../src/index.ts'
import { PLATFORM_TRIES } from '../../src/redis/queue-options.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

test.concurrent('a platform fault is retried after a pause, and the job then succeeds', async () => {
  const producer = await bench.producer()
  const faults: number[] = []
  const consumer = await bench.consumer(async (delivery) => {
    faults.push(delivery.faults)
    if (faults.length < 2) throw new RetryableError('the engine is unavailable')
    return echoResult(delivery)
  })
  consumer.run()
  const id = await bench.enqueue()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success', attempt: 2 })
  expect(faults).toEqual([0, 1])
  expect(consumer.events).toContainEqual({
    type: 'retried',
    id,
    error: new RetryableError('the engine is unavailable'),
  })
})

test.concurrent('a platform fault is retried after pauses that double; after the last attempt it is a setup_error', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  let runs = 0
  const consumer = await bench.consumer(async () => {
    runs += 1
    throw new RetryableError('the engine is unavailable')
  })
  consumer.run()
  const id = await bench.enqueue()
  const jobs = new Queue('jobs', { connection: bench.redis, prefix: `{${bench.prefix}}` })
  const pauses: Record<number, number | undefined> = {}
  await until(async () => {
    if ((await jobs.getJobState(id)) !== 'delayed') return runs === PLATFORM_TRIES
    const job = await jobs.getJob(id)
    pauses[job?.attemptsMade ?? 0] = job?.delay
    // A short pause can end before the test shortens it.
    await job?.promote().catch(() => {})
    return false
  }, 'the last attempt')
  expect(await producer.waitForResult(id)).toMatchObject({
    status: 'setup_error',
    attempt: PLATFORM_TRIES,
    attributable: false,
    errorMessage: 'the engine is unavailable',
  })
  expect(pauses).toMatchObject({ 4: 4000, 5: 8000 })
  expect(runs).toBe(PLATFORM_TRIES)
  await until(() => results.length === 1)
  expect(await bench.redis.exists(bench.key('jobs:failed'), bench.key('jobs', id))).toBe(0)
})

test.concurrent.each([
  ['requeued', () => new JobInterrupted('shutdown')],
  ['deferred', () => new JobDeferred(10, 'later')],
])('a job that was %s more often than it may be started still has its result', async (_, reason) => {
  const producer = await bench.producer()
  let starts = 0
  const consumer = await bench.consumer(async (delivery) => {
    starts += 1
    if (starts <= 10) throw reason()
    return echoResult(delivery)
  })
  consumer.run()
  const id = await bench.enqueue()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success', attempt: 11 })
  expect(await bench.redis.exists(bench.key('requeues', id))).toBe(0)
})

test.concurrent('a deferred job frees its slot, and is taken again after the delay', async () => {
  const producer = await bench.producer()
  const starts: string[] = []
  const consumer = await bench.consumer(
    async (delivery) => {
      starts.push(delivery.job.code)
      if (delivery.job.code === 'later' && starts.length === 1) throw new JobDeferred(1000, 'later')
      return echoResult(delivery)
    },
    { concurrency: 1 },
  )
  const [later, now] = [await bench.enqueue({ code: 'later' }), await bench.enqueue({ code: 'now' })]
  consumer.run()
  expect(await producer.waitForResult(now)).toMatchObject({ status: 'success' })
  expect(await producer.jobState(later)).toBe('waiting')
  expect(await producer.waitForResult(later)).toMatchObject({ status: 'success' })
  expect(starts).toEqual(['later', 'now', 'later'])
})

test.concurrent('a job that another worker has completed is not recreated by a requeue', async () => {
  const key = (id: string) => bench.key('jobs', id)
  const consumer = await bench.consumer(async ({ id }) => {
    // As if another worker had completed the job.
    await bench.redis
      .multi()
      .del(key(id), `${key(id)}:lock`)
      .lrem(bench.key('jobs:active'), 0, id)
      .exec()
    throw new JobInterrupted('shutdown')
  })
  consumer.run()
  const id = await bench.enqueue()
  await until(() => consumer.events.some(({ type }) => type === 'error'))
  expect(await bench.redis.exists(key(id))).toBe(0)
})

test.concurrent('an error that is not a platform fault is published at once', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async ({ job }) => {
    throw job.code === 'a' ? new TerminalError('no such image') : new TypeError('a bug')
  })
  consumer.run()
  const [a, b] = [await bench.enqueue({ code: 'a' }), await bench.enqueue({ code: 'b' })]
  expect(await producer.waitForResult(a)).toMatchObject({ attempt: 1, errorMessage: 'no such image' })
  expect(await producer.waitForResult(b)).toMatchObject({ attempt: 1, errorMessage: 'a bug' })
})

test.concurrent('a giveUp that throws still leaves a result', async () => {
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

test.concurrent('the sweep publishes a result for a job that BullMQ failed by itself', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const id = await bench.enqueue({ tenant: 'acme' })
  await bench.redis.zrem(bench.key('jobs:prioritized'), id)
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

test.concurrent('a worker that lost a job aborts it and publishes nothing; the new owner publishes', async () => {
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

test.concurrent('the result of an attempt that does not notice that it was overtaken appears nowhere', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  let runs = 0
  const consumer = await bench.consumer(async (delivery) => {
    runs += 1
    if (runs > 1) return echoResult(delivery, 'new owner')
    // As if another worker had taken the job.
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
