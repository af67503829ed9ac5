import { parseJob } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { newJobId, type QueuedJob } from '../../src/index.ts'
import { until, useBench } from '../harness.ts'

const bench = useBench()

// promise: list-waiting
test.concurrent('pages list each job once, in the order of the queue, while workers take jobs', async () => {
  const producer = await bench.producer()
  const entries = Array.from({ length: 1300 }, (_, index) => ({
    id: newJobId(),
    job: parseJob({ code: 'x', labels: { part: String(index % 2) } }),
  }))
  await producer.enqueue(entries)
  const seen: QueuedJob[] = []
  let cursor: string | undefined
  do {
    const page = await producer.listJobs({ labels: { part: '1' } }, { limit: 50, cursor })
    expect(page.jobs.length).toBeLessThanOrEqual(50)
    seen.push(...page.jobs)
    cursor = page.cursor
    // The next jobs leave the queue.
    await bench.redis.zpopmin(bench.key('jobs:prioritized'), 20)
  } while (cursor !== undefined)
  expect(seen.map(({ id }) => id)).toEqual(entries.filter((_, at) => at % 2 === 1).map(({ id }) => id))
  expect(seen.map(({ turn = 0 }) => turn)).toEqual(seen.map(({ turn = 0 }) => turn).toSorted((a, b) => a - b))
})

test.concurrent('requeued jobs come first, from the right end of their list, also after that end has moved', async () => {
  const producer = await bench.producer()
  const ids = Array.from({ length: 6 }, () => newJobId())
  for (const id of ids) {
    await bench.redis.hset(bench.key('jobs', id), 'data', '{"code":"x"}', 'timestamp', '1')
    await bench.redis.lpush(bench.key('jobs:wait'), id)
  }
  const first = await producer.listJobs({}, { limit: 2 })
  await bench.redis.rpop(bench.key('jobs:wait'), 3)
  const { cursor = '' } = first
  const second = await producer.listJobs({}, { limit: 2, cursor })
  const third = await producer.listJobs({}, { limit: 2, cursor: second.cursor })
  const listed = [first, second, third].map(({ jobs }) => jobs.map(({ id }) => id))
  expect(listed).toEqual([ids.slice(0, 2), ids.slice(3, 5), ids.slice(5)])
  expect(third.cursor).toBeUndefined()
})

test.concurrent('jobs that workers take during a search are listed', async () => {
  const producer = await bench.producer()
  const consumer = await bench.consumer(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
    { concurrency: 30 },
  )
  const entries = Array.from({ length: 30 }, () => ({ id: newJobId(), job: parseJob({ code: 'x' }) }))
  await producer.enqueue(entries)
  consumer.run()
  const states = new Set<string>()
  await until(async () => {
    const { jobs } = await producer.listJobs({}, { limit: 30 })
    expect(jobs.map(({ id }) => id).sort()).toEqual(entries.map(({ id }) => id).sort())
    for (const { state } of jobs) states.add(state)
    return jobs.every(({ state }) => state === 'running')
  })
  expect(states).toContain('running')
})

test('jobs with much data are read a few at a time', async () => {
  const producer = await bench.producer()
  const code = 'x'.repeat(400_000)
  const entries = Array.from({ length: 7 }, () => ({ id: newJobId(), job: parseJob({ code }) }))
  await producer.enqueue(entries)
  await bench.redis.config('RESETSTAT')
  const { jobs } = await producer.listJobs({}, { limit: 100 })
  expect(jobs.map(({ id }) => id)).toEqual(entries.map(({ id }) => id))
  const stats = await bench.redis.info('commandstats')
  const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) => Number(count))
  expect(calls.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(3)
})

test.concurrent.each(['', 'wait', 'paused:x', 'delayed:x', 'wait:a b'])('%j is no cursor', async (cursor) => {
  const producer = await bench.producer()
  await expect(producer.listJobs({}, { limit: 1, cursor })).rejects.toThrow(/^cursor: must be the cursor/)
})
