import { resultSchema } from '@isopod/protocol'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { unexecutedJobResult } from '../../src/index.ts'
import { collect, until, useBench } from '../harness.ts'

const bench = useBench()

test('an invalid job gets validation_error and never reaches the handler', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  let runs = 0
  const consumer = await bench.consumer(async () => {
    runs += 1
    throw new Error('never')
  })
  const connection = new Redis({ path: bench.url.replace('redis+unix://', ''), maxRetriesPerRequest: null })
  const queue = new Queue('jobs', { connection, prefix: `{${bench.prefix}}` })
  const payloads: unknown[] = [
    null,
    7,
    'text',
    [],
    {},
    { code: '' },
    { code: 'x', extra: 1 },
    { code: 'x', limits: { memoryMb: -1 } },
    { code: 'x'.repeat(2 * 1024 * 1024) },
    { code: 'x', replyTo: '../../etc' },
    JSON.parse('{"code":"x","__proto__":{"polluted":true}}'),
  ]
  for (const [index, data] of payloads.entries()) {
    await queue.add('anything', data, { jobId: `evil-${index}`, attempts: 3, backoff: 10 })
  }
  // Bare BullMQ producers have ids like 1, 2, 3.
  await queue.add('anything', { wrong: true })
  consumer.run()
  await until(() => results.length === payloads.length + 1)
  for (const result of results) {
    expect(resultSchema.parse(result)).toMatchObject({ status: 'validation_error', attempt: 1 })
  }
  expect(runs).toBe(0)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect(await consumer.stats()).toMatchObject({ waiting: 0, active: 0, delayed: 0, failed: 0 })
  await queue.close()
  connection.disconnect()
})

test('an id without a job counts as enqueued at the moment it is taken', async () => {
  const before = Date.now()
  const times: number[] = []
  const consumer = await bench.consumer(undefined, {
    giveUp: ({ id, attempt, enqueuedAt }, { message }) => {
      times.push(enqueuedAt)
      return unexecutedJobResult({ id, attempt, status: 'setup_error', errorMessage: message, workerId: 'w' })
    },
  })
  await bench.redis.lpush(bench.key('jobs:wait'), 'ghost')
  consumer.run()
  await until(() => times.length > 0)
  // By the clock of Redis, which was read before.
  expect(times[0]).toBeGreaterThan(before - 1000)
  expect(times[0]).toBeLessThan(Date.now() + 1000)
})

test('data nested too deeply for the stack is refused', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer()
  const inputData = '['.repeat(100_000) + ']'.repeat(100_000)
  await bench.redis.hset(bench.key('jobs', 'deep'), {
    name: 'n',
    timestamp: '1',
    opts: '{}',
    data: `{"code":"x","inputData":${inputData}}`,
  })
  await bench.redis.lpush(bench.key('jobs:wait'), 'deep')
  consumer.run()
  expect(await producer.waitForResult('deep')).toMatchObject({ status: 'validation_error' })
})

test('a job that is not JSON is repaired and refused, and the worker continues', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(undefined, { lockDurationMs: 600, stalledIntervalMs: 200 })
  const broken = [
    { data: '{"code":', opts: '{}' },
    { data: '{}', opts: 'garbage' },
    { data: '{}', opts: 'null' },
    { data: '{}', opts: '{}', progress: '{{', parent: 'x' },
  ]
  for (const [index, fields] of broken.entries()) {
    await bench.redis.hset(bench.key('jobs', `b-${index}`), { name: 'n', timestamp: '1', ...fields })
    await bench.redis.lpush(bench.key('jobs:wait'), `b-${index}`)
  }
  await bench.redis.lpush(bench.key('jobs:wait'), 'ghost-without-a-hash', 'evil:id with spaces')
  consumer.run()
  const good = await bench.enqueue()
  expect(await producer.waitForResult(good)).toMatchObject({ status: 'success' })
  for (const index of broken.keys()) {
    expect(await producer.waitForResult(`b-${index}`)).toMatchObject({ status: 'validation_error' })
  }
  await until(async () => (await consumer.stats()).active === 0)
  expect(await consumer.stats()).toMatchObject({ waiting: 0, active: 0, delayed: 0, failed: 0 })
  expect(await producer.storedResult('ghost-without-a-hash')).toMatchObject({ status: 'setup_error' })
})
