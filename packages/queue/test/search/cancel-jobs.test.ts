import { type JobInput, parseJob } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { type Handle, JobDeferred, newJobId, type Producer } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

/** Runs until it is cancelled. */
const stuck: Handle = async (_, signal) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  throw signal.reason
}

async function submit(producer: Producer, count: number, job: Partial<JobInput>): Promise<string[]> {
  const entries = Array.from({ length: count }, () => ({
    id: newJobId(),
    job: parseJob({ code: 'print(1)', ...job }),
  }))
  await producer.enqueue(entries)
  return entries.map(({ id }) => id)
}

// promise: cancel-many
test.concurrent('jobs are cancelled by batch, label, results queue and tenant, and no others', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const batch = await submit(producer, 3, { batchId: 'a', labels: { model: 'x', text: 'ü"\\' } })
  const labelled = await submit(producer, 2, { batchId: 'b', labels: { model: 'x' } })
  const queued = await submit(producer, 4, { batchId: 'b', replyTo: 'mine' })
  const theirs = await submit(producer, 1, { tenant: 'acme', code: '"batchId": "a"' })
  expect(await producer.cancelJobs({ batchId: 'a', tenant: 'acme' })).toEqual({ cancelled: 0, requested: 0 })
  expect(await producer.cancelJobs({ batchId: 'a', labels: { model: 'y' } })).toMatchObject({ cancelled: 0 })
  expect(await producer.cancelJobs({ labels: { model: 'x', text: 'ü"\\' } })).toMatchObject({ cancelled: 3 })
  expect(await producer.cancelJobs({ replyTo: 'mine' })).toEqual({ cancelled: 4, requested: 0 })
  expect(await producer.cancelJobs({ batchId: 'b', replyTo: 'default' })).toMatchObject({ cancelled: 2 })
  const { jobs } = await producer.listJobs({}, { limit: 10 })
  expect(jobs.map(({ id }) => id)).toEqual(theirs)
  await until(() => results.length >= 5)
  expect(results.map(({ id }) => id).sort()).toEqual([...batch, ...labelled].sort())
  expect(results.every(({ status }) => status === 'cancelled')).toBe(true)
  for (const id of queued) expect(await producer.storedResult(id)).toMatchObject({ status: 'cancelled' })
})

// promise: cancel-many
test.concurrent('jobs in every list of the queue are cancelled: waiting, requeued, delayed, parked and running', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const rules = { acme: { weight: 1, maxInFlight: 1 } }
  const handle: Handle = async (delivery, signal) => {
    if (delivery.job.code === 'later') throw new JobDeferred(60_000, 'an equal job runs')
    return stuck(delivery, signal)
  }
  const consumer = await bench.consumer(handle, { concurrency: 8, tenants: rules })
  consumer.run()
  const running = await submit(producer, 2, { batchId: 'a' })
  const deferred = await submit(producer, 2, { batchId: 'a', code: 'later' })
  const limited = await submit(producer, 4, { batchId: 'a', tenant: 'acme' })
  await until(async () => {
    const { active, delayed } = await producer.stats()
    return active === 3 && delayed === 5
  })
  expect(
    (await producer.listJobs({ batchId: 'a' }, { limit: 100 })).jobs.map(({ state }) => state).sort(),
  ).toEqual([...Array(5).fill('delayed'), ...Array(3).fill('running')])
  expect(await producer.cancelJobs({ batchId: 'a' })).toEqual({ cancelled: 5, requested: 3 })
  const ids = [...running, ...deferred, ...limited]
  await until(() => results.length >= ids.length)
  expect(results.map(({ id }) => id).sort()).toEqual(ids.sort())
  expect(await bench.redis.exists(bench.key('tenant:parked', 'acme'))).toBe(0)
})

// promise: cancel-many
test.concurrent('while workers take the jobs of two batches, each job has one result, and the other batch runs', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const consumer = await bench.consumer(async (delivery, signal) => {
    if (signal.aborted) throw signal.reason
    return echoResult(delivery)
  })
  const mixed = Array.from({ length: 1200 }, (_, index) => ({
    id: newJobId(),
    job: parseJob({ code: 'print(1)', batchId: index % 2 === 0 ? 'even' : 'odd' }),
  }))
  await producer.enqueue(mixed)
  consumer.run()
  await until(() => results.length > 20)
  const { cancelled } = await producer.cancelJobs({ batchId: 'odd' })
  await until(() => results.length >= mixed.length)
  expect(new Set(results.map(({ id }) => id)).size).toBe(mixed.length)
  const ended = results.filter(({ status }) => status === 'cancelled')
  expect(ended.every(({ batchId }) => batchId === 'odd')).toBe(true)
  expect(cancelled).toBeGreaterThan(0)
  expect(ended.length).toBeGreaterThanOrEqual(cancelled)
})

test.concurrent('cancelled jobs do not keep a parked job of their tenant from its turn', async () => {
  const producer = await bench.producer()
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const handle: Handle = async (delivery) => {
    if (delivery.job.code === 'first') await ended
    return echoResult(delivery)
  }
  const consumer = await bench.consumer(handle, { tenants: { acme: { maxInFlight: 1 } } })
  consumer.run()
  const tenant = 'acme'
  await submit(producer, 1, { tenant, code: 'first' })
  await until(() => consumer.events.some(({ type }) => type === 'taken'))
  await submit(producer, 15, { tenant, batchId: 'a' })
  const [last = ''] = await submit(producer, 1, { tenant })
  await until(async () => (await producer.stats()).delayed === 16)
  expect(await producer.cancelJobs({ batchId: 'a' })).toEqual({ cancelled: 15, requested: 0 })
  end()
  expect(await producer.waitForResult(last, { signal: AbortSignal.timeout(15_000) })).toMatchObject({
    status: 'success',
  })
})

test.concurrent('entries that are no jobs, and jobs that are not valid, stop no search', async () => {
  const producer = await bench.producer()
  await bench.redis.lpush(bench.key('jobs:wait'), 'gone', '../x', 'meta', 'text')
  await bench.redis.set(bench.key('jobs', 'text'), 'text')
  await bench.redis.hset(bench.key('jobs', 'j-odd'), 'data', '{"batchId":"a","code":7}', 'timestamp', '5')
  await bench.redis.hset(bench.key('jobs', 'j-broken'), 'data', '{"batchId":"a"', 'timestamp', '5')
  await bench.redis.lpush(bench.key('jobs:wait'), 'j-odd', 'j-broken')
  const [id] = await submit(producer, 1, { batchId: 'a' })
  const { jobs } = await producer.listJobs({ batchId: 'a' }, { limit: 10 })
  expect(jobs).toMatchObject([
    { id: 'j-odd', state: 'next', language: 'unknown', submittedAt: 5 },
    { id, state: 'waiting', language: 'python' },
  ])
  expect(await producer.cancelJobs({ batchId: 'a' })).toEqual({ cancelled: 2, requested: 0 })
})
