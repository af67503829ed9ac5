import { setTimeout as sleep } from 'node:timers/promises'
import { type JobInput, parseJob, RetryableError } from '@isopod/protocol'
import { Job as BullJob } from 'bullmq'
import { expect, test, vi } from 'vitest'
import { type Delivery, JobDeferred, newJobId, type Producer } from '../../src/index.ts'
import { defined, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

/** Submits jobs in one call. @returns their ids */
async function submit(producer: Producer, jobs: readonly Partial<JobInput>[]): Promise<string[]> {
  const entries = jobs.map((job) => ({ id: newJobId(), job: parseJob({ code: 'x', ...job }) }))
  await producer.enqueue(entries)
  return entries.map(({ id }) => id)
}

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)
const tenantOf = ({ job }: Delivery) => job.tenant

/** Runs all jobs that wait, one after the other. @returns the deliveries in order */
async function drained(
  count: number,
  options: Parameters<typeof bench.consumer>[1] = {},
): Promise<Delivery[]> {
  const order: Delivery[] = []
  const consumer = await bench.consumer(
    async (delivery) => {
      order.push(delivery)
      return echoResult(delivery)
    },
    { concurrency: 1, ...options },
  )
  consumer.run()
  await until(() => order.length >= count)
  return order
}

// promise: fair-turns
test('a tenant with 2,000 waiting jobs delays the first job of another by at most one job per slot', async () => {
  const slots = 4
  const producer = await bench.producer()
  const started: string[] = []
  const free: (() => void)[] = []
  const consumer = await bench.consumer(
    async (delivery) => {
      started.push(tenantOf(delivery))
      await new Promise<void>((resolve) => free.push(resolve))
      return echoResult(delivery)
    },
    { concurrency: slots },
  )
  const finishOne = () => defined(free.shift())()
  await submit(producer, times(2000, { tenant: 'many' }))
  consumer.run()
  for (let n = 0; n < 20; n++) {
    await until(() => free.length > 0)
    finishOne()
  }
  await until(() => free.length === slots)
  await submit(producer, [{ tenant: 'few' }])
  const before = started.length
  while (!started.includes('few')) {
    await until(() => free.length > 0)
    finishOne()
    await until(() => free.length === slots)
  }
  expect(started.slice(before).indexOf('few')).toBeLessThan(slots)
  for (const resolve of free) resolve()
  await consumer.close()
})

// promise: fair-turns
test('100 tenants with equal load end within 10 % of each other, though one submitted after the other', async () => {
  const producer = await bench.producer()
  const names = Array.from({ length: 100 }, (_, at) => `tenant-${at}`)
  for (const tenant of names) await submit(producer, times(12, { tenant }))
  const order = await drained(1200, { concurrency: 4 })
  const ends = names.map((tenant) => order.findLastIndex((delivery) => tenantOf(delivery) === tenant))
  expect(Math.min(...ends)).toBeGreaterThanOrEqual(0.9 * Math.max(...ends))
})

// promise: fair-turns
test('a tenant of weight 2 gets twice the turns while another has work, and all when it has none', async () => {
  const producer = await bench.producer()
  const tenants = { heavy: { weight: 2 } }
  await bench.consumer(undefined, { tenants, workerId: 'publisher' })
  await submit(producer, times(30, { tenant: 'light' }))
  await submit(producer, times(60, { tenant: 'heavy' }))
  const order = await drained(90, { tenants })
  const heavy = order.slice(0, 60).filter((delivery) => tenantOf(delivery) === 'heavy').length
  expect(heavy).toBeGreaterThanOrEqual(39)
  expect(heavy).toBeLessThanOrEqual(41)
})

// promise: fair-turns
test('at most the maximum of a tenant’s jobs run at once, on all workers, and no try is used up', async () => {
  const producer = await bench.producer()
  const tenants = { limited: { maxInFlight: 2 } }
  let running = 0
  let most = 0
  const runs: string[] = []
  const handle = async (delivery: Delivery) => {
    const isLimited = tenantOf(delivery) === 'limited'
    if (isLimited) most = Math.max(most, ++running)
    await sleep(5)
    if (isLimited) running -= 1
    runs.push(delivery.id)
    return echoResult(delivery)
  }
  const workers = [
    await bench.consumer(handle, { tenants, concurrency: 4, workerId: 'w1' }),
    await bench.consumer(handle, { tenants, concurrency: 4, workerId: 'w2' }),
  ]
  const ids = [
    ...(await submit(producer, times(40, { tenant: 'limited' }))),
    ...(await submit(producer, times(40, { tenant: 'other' }))),
  ]
  for (const worker of workers) worker.run()
  const results = await Promise.all(ids.map((id) => producer.waitForResult(id)))
  expect(results.map(({ status }) => status)).toEqual(ids.map(() => 'success'))
  expect(most).toBe(2)
  expect(runs.toSorted()).toEqual(ids.toSorted())
  // Nothing of a tenant stays when its jobs have ended.
  await until(async () => (await bench.redis.keys(bench.key('tenant:*'))).length === 0)
})

test('a job whose turn comes while it is being parked takes it at once', async () => {
  const producer = await bench.producer()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const park = BullJob.prototype.moveToDelayed
  const parking = vi.spyOn(BullJob.prototype, 'moveToDelayed').mockImplementation(async function (
    this: BullJob,
    ...args
  ) {
    // The running job ends, and looks for a parked one, before this one is parked.
    release()
    await sleep(200)
    return await park.apply(this, args)
  })
  const handle = async (delivery: Delivery) => {
    await released
    return echoResult(delivery)
  }
  const consumer = await bench.consumer(handle, { tenants: { '*': { maxInFlight: 1 } }, concurrency: 2 })
  consumer.run()
  const ids = await submit(producer, times(2, {}))
  const results = await Promise.all(ids.map((id) => producer.waitForResult(id)))
  expect(results.map(({ status }) => status)).toEqual(['success', 'success'])
  expect(parking).toHaveBeenCalledOnce()
  parking.mockRestore()
})

test('a job that waits for its tenant’s maximum can be cancelled, and the next one runs', async () => {
  const producer = await bench.producer()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const consumer = await bench.consumer(
    async (delivery) => {
      if (delivery.job.code === 'first') await released
      return echoResult(delivery)
    },
    { tenants: { '*': { maxInFlight: 1 } } },
  )
  consumer.run()
  const [first = '', second = '', third = ''] = await submit(producer, [{ code: 'first' }, {}, {}])
  await until(async () => (await bench.redis.zcard(bench.key('jobs:delayed'))) === 2)
  expect(await producer.cancel(second)).toBe('cancelled')
  release()
  expect(await producer.waitForResult(third)).toMatchObject({ status: 'success' })
  expect(await producer.waitForResult(first)).toMatchObject({ status: 'success' })
})

test('a submit that would exceed a tenant’s maximum of waiting jobs is refused as a whole', async () => {
  const producer = await bench.producer()
  await bench.consumer(undefined, { tenants: { small: { maxQueued: 3 }, '*': { weight: 1 } } })
  await submit(producer, times(2, { tenant: 'small' }))
  await expect(submit(producer, times(2, { tenant: 'small' }))).rejects.toMatchObject({
    code: 'tenant_queue_full',
    message: 'tenant: small has 2 waiting jobs, and at most 3 may wait; submit again in 5 s',
    ...{ retryAfterSeconds: 5, predictedWaitSeconds: null },
  })
  expect((await producer.stats()).prioritized).toBe(2)
  await submit(producer, [{ tenant: 'small' }, ...times(9, { tenant: 'other' })])
  await drained(12, { tenants: { small: { maxQueued: 3 }, '*': { weight: 1 } } })
  await until(async () => (await producer.stats()).active === 0)
  await submit(producer, times(3, { tenant: 'small' }))
})

// promise: fair-turns
test('a job’s own priority orders the jobs of its tenant, and takes no turn of another', async () => {
  const producer = await bench.producer()
  await submit(
    producer,
    [9, 5, 9, 0, 5, 0].map((priority) => ({ tenant: 'a', code: `a${priority}`, priority })),
  )
  await submit(producer, times(6, { tenant: 'b', code: 'b7', priority: 7 }))
  const codes = (await drained(12)).map(({ job }) => job.code)
  expect(codes.filter((code) => code.startsWith('a'))).toEqual(['a0', 'a0', 'a5', 'a5', 'a9', 'a9'])
  for (let end = 2; end <= 12; end += 2) {
    expect(codes.slice(0, end).filter((code) => code === 'b7')).toHaveLength(end / 2)
  }
})

test('a job with a large priority number lends its turn a bounded number of times', async () => {
  const producer = await bench.producer()
  await submit(producer, [{ code: 'patient', priority: 1000 }, ...times(60, { code: 'urgent' })])
  const codes = (await drained(61)).map(({ job }) => job.code)
  expect(codes.indexOf('patient')).toBe(20)
})

test('jobs that come back, by a retry, a deferral or a shutdown, run before new ones', async () => {
  const producer = await bench.producer()
  const seen: string[] = []
  const { promise: taken, resolve: take } = Promise.withResolvers<void>()
  const leaving = await bench.consumer(
    async ({ job, attempt }, signal) => {
      if (attempt > 1) throw new Error('runs again elsewhere')
      if (job.code === 'retried') throw new RetryableError('no engine')
      if (job.code === 'deferred') throw new JobDeferred(10, 'not now')
      take()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      throw new Error('unreachable')
    },
    { concurrency: 3, workerId: 'leaving' },
  )
  await submit(
    producer,
    ['retried', 'deferred', 'requeued'].map((code) => ({ code })),
  )
  leaving.run()
  await taken
  await leaving.pause()
  await until(async () => (await producer.stats()).active === 1)
  await submit(producer, times(50, { code: 'new' }))
  // The pauses of retry and deferral are over.
  await until(async () => {
    const due = await bench.redis.zrange(bench.key('jobs:delayed'), '-1', '-1', 'WITHSCORES')
    return due[1] === undefined || Number(due[1]) / 4096 < Date.now()
  })
  await leaving.close()
  for (const { job } of await drained(53)) seen.push(job.code)
  expect(seen.slice(0, 3).toSorted()).toEqual(['deferred', 'requeued', 'retried'])
})

test('a tenant that submits 100 jobs at once, one by one, delays another tenant no more than with one list', async () => {
  const producer = await bench.producer()
  await Promise.all(times(100, { tenant: 'many' }).map((job) => submit(producer, [job])))
  await submit(producer, [{ tenant: 'few' }])
  const order = await drained(101)
  expect(order.findIndex((delivery) => tenantOf(delivery) === 'few')).toBeLessThanOrEqual(1)
})

test('the turn that a tenant had last serves one job of the next 100, and delays nobody', async () => {
  const producer = await bench.producer()
  await submit(producer, [{ tenant: 'many' }])
  await Promise.all(times(100, { tenant: 'many' }).map((job) => submit(producer, [job])))
  await submit(producer, [{ tenant: 'few' }])
  const order = await drained(102)
  expect(order.findIndex((delivery) => tenantOf(delivery) === 'few')).toBeLessThanOrEqual(3)
})

test('a job is not added behind others with a turn from before the numbers started again', async () => {
  const [producer, other] = [await bench.producer(), await bench.producer()]
  await submit(producer, times(100, { tenant: 'earlier' }))
  const drainedConsumer = await bench.consumer(undefined, { concurrency: 8 })
  drainedConsumer.run()
  await until(async () => (await producer.stats()).prioritized === 0)
  await drainedConsumer.close()
  await submit(other, times(50, { tenant: 'other' }))
  await submit(producer, [{ tenant: 'earlier' }])
  const order = await drained(51)
  expect(order.findIndex((delivery) => tenantOf(delivery) === 'earlier')).toBeLessThanOrEqual(1)
})

test('a tenant does not pay for jobs that ended before the queue was empty', async () => {
  const producer = await bench.producer()
  const earlier = await bench.consumer(undefined, { concurrency: 8 })
  earlier.run()
  await submit(producer, [{ tenant: 'new' }])
  await submit(producer, times(50, { tenant: 'known' }))
  await until(async () => (await producer.stats()).prioritized === 0)
  await earlier.close()
  await submit(producer, [{ tenant: 'new' }])
  await submit(producer, [{ tenant: 'known' }])
  await submit(producer, times(20, { tenant: 'new' }))
  const order = await drained(22)
  expect(order.findIndex((delivery) => tenantOf(delivery) === 'known')).toBeLessThanOrEqual(2)
})

test('rules and turns of the wrong type in Redis are replaced', async () => {
  const producer = await bench.producer()
  for (const part of ['turns', 'turns:clock', 'tenants', 'tenant:order:default']) {
    await bench.redis.set(bench.key(part), 'x')
  }
  await submit(producer, [{}, { priority: 3 }])
  expect(await drained(2)).toHaveLength(2)
})
