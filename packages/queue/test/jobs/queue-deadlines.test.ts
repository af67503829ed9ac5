import { setTimeout as sleep } from 'node:timers/promises'
import { parseJob } from '@isopod/protocol'
import { Queue } from 'bullmq'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { newJobId, type Producer } from '../../src/index.ts'
import { echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

const EXPIRED = {
  status: 'cancelled',
  attributable: false,
  errorMessage: 'No worker took the job within 1 s (expiresInSeconds)',
}

afterEach(() => {
  vi.useRealTimers()
})

async function enqueue(producer: Producer, expiresInSeconds: number, code = 'x'): Promise<string> {
  const id = newJobId()
  await producer.enqueue([{ id, job: parseJob({ code, expiresInSeconds }) }])
  return id
}

// promise: queue-deadline
test('a job that no worker takes in time is cancelled with the reason, though no worker lives', async () => {
  const producer = await bench.producer()
  const ids = [await enqueue(producer, 1), await enqueue(producer, 1), await enqueue(producer, 60)]
  expect(await producer.waitForResult(ids[0] ?? '')).toMatchObject({ id: ids[0], ...EXPIRED, attempt: 0 })
  expect(await producer.waitForResult(ids[1] ?? '')).toMatchObject({ id: ids[1], ...EXPIRED })
  // The result comes first, then the job and its deadline are removed.
  await until(async () => (await bench.redis.zcard(bench.key('deadlines'))) === 1)
  expect(await bench.redis.zrange(bench.key('deadlines'), '0', '-1')).toEqual([ids[2]])
  expect(await Promise.all(ids.map((id) => producer.jobState(id)))).toEqual([
    'finished',
    'finished',
    'waiting',
  ])
})

test('a caller that waits expires the job of a producer that is gone', async () => {
  const gone = await bench.producer()
  const id = await enqueue(gone, 1)
  await gone.close()
  const producer = await bench.producer()
  expect(await producer.waitForResult(id)).toMatchObject(EXPIRED)
})

test('a live worker that takes no jobs expires them', async () => {
  const gone = await bench.producer()
  const id = await enqueue(gone, 1)
  await gone.close()
  await bench.consumer()
  const producer = await bench.producer()
  await until(async () => (await producer.storedResult(id)) !== undefined)
  expect(await producer.storedResult(id)).toMatchObject(EXPIRED)
})

test('the worker that takes an expired job does not run it, also without a noted deadline', async () => {
  const queue = new Queue('jobs', {
    connection: { path: new URL(bench.url).pathname },
    prefix: `{${bench.prefix}}`,
  })
  onTestFinished(() => queue.close())
  const add = (jobId: string, age: number) =>
    queue.add('execute', { code: jobId, expiresInSeconds: 1 }, { jobId, timestamp: Date.now() - age })
  await add('old', 1500)
  await add('young', 0)
  const ran: string[] = []
  const consumer = await bench.consumer(async (delivery) => {
    ran.push(delivery.id)
    return echoResult(delivery)
  })
  consumer.run()
  const producer = await bench.producer()
  expect(await producer.waitForResult('old')).toMatchObject({ ...EXPIRED, attempt: 1 })
  expect(await producer.waitForResult('young')).toMatchObject({ status: 'success' })
  expect(ran).toEqual(['young'])
})

test('a job that a worker has taken does not expire', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async (delivery) => {
    await sleep(1500)
    return echoResult(delivery)
  })
  consumer.run()
  const id = await enqueue(producer, 1)
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
  await until(async () => (await bench.redis.exists(bench.key('deadlines'))) === 0)
})

test.each([-25, 25])('the clock of Redis decides, not that of a producer that is %i h off', async (hours) => {
  const producer = await bench.producer()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
  const [id, late] = [await enqueue(producer, 60), await enqueue(producer, 1)]
  vi.useRealTimers()
  expect(await producer.waitForResult(late)).toMatchObject(EXPIRED)
  const consumer = await bench.consumer()
  consumer.run()
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
})
