import type { Result } from '@isopod/protocol'
import { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'
import { Publisher } from '../../src/jobs/publisher.ts'
import { unexecutedJobResult } from '../../src/jobs/unexecuted-result.ts'
import { Keys } from '../../src/redis/keys.ts'
import { until, useBench } from '../harness.ts'

const bench = useBench()
const closers: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function openPublisher(): { publisher: Publisher; redis: Redis; keys: Keys } {
  const redis = new Redis({ path: bench.url.replace('redis+unix://', ''), maxRetriesPerRequest: null })
  const keys = new Keys(bench.prefix)
  closers.push(() => redis.disconnect())
  return { publisher: new Publisher(redis, keys, 100), redis, keys }
}

function result(id: string, errorMessage: string): Result {
  return unexecutedJobResult({ id, status: 'setup_error', errorMessage, attempt: 1, workerId: 'w' })
}

/** Writes a job hash as BullMQ leaves it after the given number of starts. */
function startedJob(id: string, ats: number): Promise<unknown> {
  return bench.redis.hset(bench.key('jobs', id), { data: '{}', timestamp: '1', ats: String(ats) })
}

test('the first of many competing publications wins, and one result is published', async () => {
  await startedJob('j-1', 1)
  const publishers = Array.from({ length: 5 }, openPublisher)
  const outcomes = await Promise.all(
    publishers.flatMap(({ publisher }, p) =>
      Array.from({ length: 4 }, (_, n) =>
        publisher.publish({ result: result('j-1', `${p}-${n}`), attempt: 1, replyTo: 'x' }),
      ),
    ),
  )
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(19)
  const stored = await bench.redis.get(bench.key('result:j-1'))
  expect(await bench.redis.lrange(bench.key('results-x:wait'), 0, -1)).toEqual(['r-j-1'])
  expect(await bench.redis.hget(bench.key('results-x:r-j-1'), 'data')).toBe(stored)
})

test('an overtaken start publishes nothing and leaves no key', async () => {
  const { publisher } = openPublisher()
  await startedJob('j-2', 2)
  expect(await publisher.publish({ result: result('j-2', 'old'), attempt: 1, replyTo: 'y' })).toBe('fenced')
  expect(await bench.redis.exists(bench.key('result:j-2'), bench.key('results-y:r-j-2'))).toBe(0)
  expect(await bench.redis.llen(bench.key('results-y:wait'))).toBe(0)
  expect(await publisher.publish({ result: result('j-2', 'new'), attempt: 2, replyTo: 'y' })).toBe('ok')
})

test('a removed job gets no result', async () => {
  const { publisher } = openPublisher()
  expect(await publisher.publish({ result: result('j-3', ''), attempt: 0, replyTo: 'y' })).toBe('fenced')
  expect(await bench.redis.exists(bench.key('result:j-3'))).toBe(0)
})

test('a result that was taken from its queue is not added again', async () => {
  const { publisher } = openPublisher()
  await startedJob('j-4', 1)
  expect(await publisher.publish({ result: result('j-4', 'a'), attempt: 1, replyTo: 'z' })).toBe('ok')
  await bench.redis.del(bench.key('results-z:r-j-4'), bench.key('results-z:wait'))
  expect(await publisher.publish({ result: result('j-4', 'b'), attempt: 1, replyTo: 'z' })).toBe('duplicate')
  expect(await bench.redis.exists(bench.key('results-z:r-j-4'), bench.key('results-z:wait'))).toBe(0)
})

test('a publication succeeds after Redis has lost all scripts', async () => {
  const { publisher } = openPublisher()
  await startedJob('j-5', 1)
  await startedJob('j-6', 1)
  await publisher.publish({ result: result('j-5', ''), attempt: 1, replyTo: 'x' })
  await bench.redis.script('FLUSH')
  expect(await publisher.publish({ result: result('j-6', ''), attempt: 1, replyTo: 'x' })).toBe('ok')
  expect(await bench.redis.exists(bench.key('result:j-6'), bench.key('results-x:r-j-6'))).toBe(2)
})

test('a Redis that refuses writes accepts no part of a publication, which succeeds once it takes them', async () => {
  const { publisher } = openPublisher()
  await startedJob('j-7', 1)
  const outgoing = { result: result('j-7', 'x'.repeat(1000)), attempt: 1, replyTo: 'x' }
  const failures: Error[] = []
  await bench.redis.config('SET', 'min-replicas-to-write', '1')
  const publishing = publisher.publishPersistently(
    outgoing,
    (error) => failures.push(error),
    new AbortController().signal,
  )
  await until(() => failures.length >= 2)
  expect(await bench.redis.exists(bench.key('result:j-7'), bench.key('results-x:r-j-7'))).toBe(0)
  await bench.redis.config('SET', 'min-replicas-to-write', '0')
  expect(await publishing).toBe('ok')
})
