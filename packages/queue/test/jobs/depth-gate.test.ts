import { parseJob } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { newJobId, type Producer, QueueFullError } from '../../src/index.ts'
import { predictWait } from '../../src/workers/worker-pace.ts'
import { echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

function submit(producer: Producer, count = 1): Promise<unknown> {
  const jobs = Array.from({ length: count }, () => ({ id: newJobId(), job: parseJob({ code: 'x' }) }))
  return producer.enqueue(jobs)
}

async function countWaiting(producer: Producer): Promise<number> {
  const { waiting, prioritized } = await producer.stats()
  return waiting + prioritized
}

// promise: backpressure
test('a submit beyond the maximum of the workers is refused, and nothing of it is enqueued', async () => {
  const worker = await bench.consumer(undefined, { maxWaiting: 5 })
  const producer = await bench.producer()
  await submit(producer, 3)
  await expect(submit(producer, 3)).rejects.toMatchObject({
    code: 'queue_full',
    message: 'the queue is full: at most 5 jobs may wait; submit again in 5 s',
    retryAfterSeconds: 5,
    predictedWaitSeconds: null,
  })
  await submit(producer, 2)
  expect(await countWaiting(producer)).toBe(5)
  await expect(submit(producer)).rejects.toBeInstanceOf(QueueFullError)
  worker.run()
  await until(async () => (await countWaiting(producer)) === 0)
  await until(() =>
    submit(producer).then(
      () => true,
      () => false,
    ),
  )
})

test('without a maximum, or with a key that another program wrote, all jobs are accepted', async () => {
  await bench.consumer()
  const producer = await bench.producer()
  await submit(producer, 600)
  await bench.redis.hset(bench.key('max-waiting'), 'x', '1')
  await submit(await bench.producer(), 600)
})

test('a worker that starts without a maximum removes the one of an earlier worker', async () => {
  const one = await bench.consumer(undefined, { maxWaiting: 1 })
  await one.close()
  await bench.consumer(undefined, { workerId: 'w2' })
  await submit(await bench.producer(), 2)
})

test('the predicted wait follows from waiting jobs, live slots and the time of recent jobs', async () => {
  expect(predictWait([], 10, 0)).toBeNull()
  expect(predictWait([{ slots: 4, seconds: Number.NaN }], 10, 4)).toBeNull()
  expect(predictWait([{ slots: 4, seconds: 2 }], 10, 4)).toBe(5)
  expect(predictWait([{ slots: 4, seconds: 2 }], 2, 1)).toBe(0)
  const workers = [
    { slots: 4, seconds: 2 },
    { slots: 4, seconds: Number.NaN },
  ]
  expect(predictWait(workers, 20, 8)).toBe(5)

  const producer = await bench.producer()
  await bench.redis.hset(bench.key('job-seconds'), 'w1', '2')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const consumer = await bench.consumer(
    async (delivery) => {
      await released
      return echoResult(delivery)
    },
    { concurrency: 1 },
  )
  consumer.run()
  await submit(producer, 4)
  await until(async () => (await producer.stats()).active === 1)
  expect(await producer.stats()).toMatchObject({ workers: 1, slots: 1, predictedWaitSeconds: 6 })
  release()
  await until(async () => (await producer.stats()).predictedWaitSeconds === 0)
  await consumer.close()
  expect((await producer.stats()).predictedWaitSeconds).toBeNull()
})

test('the error of a tenant with too many waiting jobs predicts the wait, too', async () => {
  const producer = await bench.producer()
  await bench.redis.hset(bench.key('job-seconds'), 'w1', '2')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const consumer = await bench.consumer(
    async (delivery) => {
      await released
      return echoResult(delivery)
    },
    { concurrency: 1, tenants: { '*': { maxQueued: 3 } } },
  )
  consumer.run()
  await submit(producer, 1)
  await until(async () => (await producer.stats()).active === 1)
  await submit(producer, 3)
  await expect(submit(producer, 1)).rejects.toMatchObject({
    code: 'tenant_queue_full',
    ...{ retryAfterSeconds: 1, predictedWaitSeconds: 6 },
  })
  release()
})
