import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { Publisher } from '../../src/jobs/publisher.ts'
import { unexecutedJobResult } from '../../src/jobs/unexecuted-result.ts'
import { Keys, resultJobId } from '../../src/redis/keys.ts'
import { sweepResults } from '../../src/results/sweep-results.ts'
import { useBench } from '../harness.ts'

const bench = useBench()

test('expired results leave their queue, newer ones stay', async () => {
  const redis = new Redis({ path: bench.url.replace('redis+unix://', ''), maxRetriesPerRequest: null })
  const keys = new Keys(bench.prefix)
  const publisher = new Publisher(redis, keys, 100)
  for (const id of ['old', 'young']) {
    await redis.hset(keys.job(id), 'ats', '1', 'data', '{}')
    const result = unexecutedJobResult({
      id,
      status: 'cancelled',
      errorMessage: '',
      attempt: 1,
      workerId: '',
    })
    expect(await publisher.publish({ result, attempt: 1, replyTo: 'slow' })).toBe('ok')
  }
  await redis.hset(keys.results('slow', resultJobId('old')), 'timestamp', String(Date.now() - 101_000))
  await sweepResults(redis, keys, 1000)
  expect(await redis.llen(`${keys.tag}:results-slow:wait`)).toBe(2)
  await sweepResults(redis, keys, 100)
  expect(await redis.lrange(`${keys.tag}:results-slow:wait`, 0, -1)).toEqual(['r-young'])
  expect(await redis.exists(keys.results('slow', resultJobId('old')))).toBe(0)
  expect(await redis.zrange(keys.replyQueues, '0', '-1')).toEqual(['slow'])

  // Results that wait for another try or were left by a dead consumer are removed, too; one that a consumer holds is not.
  const queue = `${keys.tag}:results-slow`
  for (const [id, list] of [
    ['tried', 'delayed'],
    ['left', 'active'],
    ['held', 'active'],
  ] as const) {
    await redis.hset(keys.job(id), 'ats', '1', 'data', '{}')
    const result = unexecutedJobResult({
      id,
      status: 'cancelled',
      errorMessage: '',
      attempt: 1,
      workerId: '',
    })
    expect(await publisher.publish({ result, attempt: 1, replyTo: 'slow' })).toBe('ok')
    await redis.lrem(`${queue}:wait`, 0, `r-${id}`)
    await (list === 'delayed'
      ? redis.zadd(`${queue}:delayed`, 1, `r-${id}`)
      : redis.lpush(`${queue}:active`, `r-${id}`))
    await redis.hset(keys.results('slow', resultJobId(id)), 'timestamp', String(Date.now() - 101_000))
  }
  await redis.set(`${keys.results('slow', resultJobId('held'))}:lock`, 'consumer')
  await sweepResults(redis, keys, 1000)
  expect(await redis.zcard(`${queue}:delayed`)).toBe(1)
  await sweepResults(redis, keys, 100)
  expect(await redis.zcard(`${queue}:delayed`)).toBe(0)
  expect(await redis.lrange(`${queue}:active`, 0, -1)).toEqual(['r-held'])
  expect(
    await redis.exists(keys.results('slow', resultJobId('tried')), keys.results('slow', resultJobId('left'))),
  ).toBe(0)
  redis.disconnect()
})
