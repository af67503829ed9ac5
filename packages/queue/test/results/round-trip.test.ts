import { setTimeout as sleep } from 'node:timers/promises'
import { parseJob, resultSchema } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { newJobId } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

test('a job runs once, and its result can be read, awaited and consumed', async () => {
  const producer = await bench.producer()
  const results = collect(producer, 'mine')
  const consumer = await bench.consumer()
  consumer.run()
  const id = await bench.enqueue({ code: 'print("round")', replyTo: 'mine' })
  const result = await producer.waitForResult(id)
  expect(resultSchema.parse(result)).toMatchObject({
    id,
    status: 'success',
    stdout: 'print("round")',
    attempt: 1,
  })
  expect(await producer.storedResult(id)).toEqual(result)
  await until(() => results.length === 1)
  expect(results).toEqual([result])
  expect(consumer.events).toContainEqual(
    expect.objectContaining({
      type: 'published',
      outcome: 'ok',
      result: expect.objectContaining({ id, status: 'success' }),
    }),
  )
  expect(consumer.events.filter((event) => event.type === 'error')).toEqual([])
})

test('many waiters, some of them late, all get the result', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(undefined, { concurrency: 20 })
  const ids = Array.from({ length: 100 }, newJobId)
  await producer.enqueue(ids.map((id) => ({ id, job: parseJob({ code: id }) })))
  const early = ids.map((id) => producer.waitForResult(id))
  consumer.run()
  expect((await Promise.all(early)).map((result) => result.stdout)).toEqual(ids)
  const late = await Promise.all(ids.map((id) => producer.waitForResult(id)))
  expect(late.map((result) => result.stdout)).toEqual(ids)
})

test('a waiter gets its result by message, without polling', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async (delivery) => {
    await sleep(30)
    return echoResult(delivery)
  })
  consumer.run()
  // A poll takes place every 2 s, so with polling alone this test would exceed its timeout.
  for (let n = 0; n < 15; n++) await producer.waitForResult(await bench.enqueue())
})

test('one of two waiters for the same job can stop waiting', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async (delivery) => {
    await sleep(100)
    return echoResult(delivery)
  })
  consumer.run()
  const id = await bench.enqueue()
  const stays = [producer.waitForResult(id), producer.waitForResult(id)]
  const left = producer.waitForResult(id, { signal: AbortSignal.timeout(20) })
  await expect(left).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(await Promise.all(stays)).toMatchObject([{ id }, { id }])
  // No subscription is left.
  await until(async () => (await bench.redis.pubsub('CHANNELS', bench.key('done', '*'))).length === 0)
})

test.each([
  ['short', 10],
  ['too long for a message', 300_000],
])('a result that is %s reaches its waiter whole', async (_, length) => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async (delivery) => {
    await sleep(30)
    return { ...echoResult(delivery), stdout: 'é'.repeat(length) }
  })
  consumer.run()
  const result = await producer.waitForResult(await bench.enqueue())
  expect(result.stdout).toBe('é'.repeat(length))
})

test('a waiter polls if Redis refuses subscriptions', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(async (delivery) => {
    await sleep(30)
    return echoResult(delivery)
  })
  consumer.run()
  await bench.redis.call('ACL', 'SETUSER', 'default', 'resetchannels', `&${bench.key('cancel')}`)
  try {
    expect(await producer.waitForResult(await bench.enqueue())).toMatchObject({ status: 'success' })
    const tries = consumer.events.flatMap((event) => (event.type === 'published' ? [event.outcome] : []))
    expect(tries).toEqual(['ok'])
  } finally {
    await bench.redis.call('ACL', 'SETUSER', 'default', '&*')
  }
})

test('a wait for an unknown job is refused, and an abort ends a wait with its reason', async () => {
  const producer = await bench.producer()
  await expect(producer.waitForResult('j-nope')).rejects.toMatchObject({ code: 'unknown_job' })
  const id = await bench.enqueue()
  const reason = new Error('enough')
  await expect(producer.waitForResult(id, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const controller = new AbortController()
  const waiting = producer.waitForResult(id, { signal: controller.signal })
  setTimeout(() => controller.abort(reason), 30)
  await expect(waiting).rejects.toBe(reason)
})

test('closing a producer rejects waiting calls', async () => {
  const producer = await bench.producer()
  const id = await bench.enqueue()
  const waiting = producer.waitForResult(id)
  const refused = expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
  await producer.close()
  await refused
})

test('jobs with a smaller priority number run first', async () => {
  const order: string[] = []
  const consumer = await bench.consumer(
    async (delivery) => {
      order.push(delivery.job.code)
      return echoResult(delivery)
    },
    { concurrency: 1 },
  )
  const producer = await bench.producer()
  const jobs = [7, 0, 3].map((priority) => parseJob({ code: `p${priority}`, priority }))
  await producer.enqueue(jobs.map((job) => ({ id: newJobId(), job })))
  expect(await consumer.stats()).toMatchObject({ waiting: 0, prioritized: 3, active: 0, failed: 0 })
  consumer.run()
  await until(() => order.length === 3)
  expect(order).toEqual(['p0', 'p3', 'p7'])
})

test("only results with a time to live and BullMQ's own keys of a queue stay in Redis", async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const consumer = await bench.consumer()
  consumer.run()
  const ids = await Promise.all(Array.from({ length: 20 }, () => bench.enqueue()))
  await until(() => results.length === 20)
  await consumer.close()
  await producer.close()
  const keys = (await bench.redis.keys(bench.key('*'))).sort()
  const stored = keys.filter((key) => key.startsWith(bench.key('result:')))
  expect(stored).toEqual(ids.map((id) => bench.key('result', id)).sort())
  for (const key of stored) expect(await bench.redis.ttl(key)).toBeGreaterThan(86_000)
  const rest = keys.filter((key) => !stored.includes(key))
  const expected = ['jobs', 'results-default'].flatMap((queue) =>
    ['events', 'id', 'marker', 'meta', 'stalled-check'].map((part) => bench.key(queue, part)),
  )
  // The sweep of untaken results may not have come yet.
  expected.push(bench.key('untaken'), bench.key('untaken:sizes'))
  expect(rest.filter((key) => !expected.includes(key))).toEqual([
    bench.key('claim:orphans'),
    bench.key('deployment'),
    bench.key('reply-queues'),
    bench.key('turns'),
    bench.key('turns:clock'),
  ])
})
