import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseJob } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { newJobId, StorageFullError } from '../../src/index.ts'
import { readMemory } from '../../src/redis/redis-memory.ts'
import { collect, echoResult, type TestConsumer, until, useBench } from '../harness.ts'

const bench = useBench({ each: true })
const MIB = 1024 * 1024

/** Sets `maxmemory` so that Redis uses this share of it. A filler makes small changes of the memory not count. */
async function fillTo(share: number): Promise<void> {
  await bench.redis.setrange('filler', 20 * MIB - 1, 'x')
  const { used } = await readMemory(bench.redis)
  await bench.redis.config('SET', 'maxmemory', String(Math.floor(used / share)))
}

/** Whether a consumer has noticed a full Redis, even if it has room again. */
const noticed = ({ events }: TestConsumer) => events.some(({ type }) => type === 'redisFull')

const running = () => bench.redis.llen(bench.key('jobs:active'))

// promise: full-redis
describe.concurrent('a full Redis', () => {
  it('refuses jobs from its watermark, while workers take those that wait', async () => {
    const producer = await bench.producer()
    const id = await bench.enqueue()
    await fillTo(0.95)
    const late = await bench.producer()
    const jobs = [{ id: newJobId(), job: parseJob({ code: 'x' }) }]
    await expect(late.enqueue(jobs)).rejects.toThrow(StorageFullError)
    await expect(late.enqueue(jobs)).rejects.toMatchObject({ code: 'storage_full', retryAfterSeconds: 5 })
    const consumer = await bench.consumer()
    consumer.run()
    expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
    expect(consumer.full).toBe(false)
    await bench.redis.del('filler')
    await until(() =>
      late.enqueue(jobs).then(
        () => true,
        () => false,
      ),
    )
  })

  it('refuses a list that would exceed the watermark as a whole', async () => {
    const producer = await bench.producer()
    await fillTo(0.8)
    const jobs = Array.from({ length: 8 }, () => ({
      id: newJobId(),
      job: parseJob({ code: 'x'.repeat(MIB) }),
    }))
    await expect(producer.enqueue(jobs)).rejects.toThrow(StorageFullError)
    expect(await producer.stats()).toMatchObject({ prioritized: 0 })
    await producer.enqueue(jobs.slice(0, 1))
    expect(await producer.stats()).toMatchObject({ prioritized: 1 })
  })

  it('takes the results of running jobs, lends no job, and hands out results', {
    timeout: scaled(60_000),
  }, async () => {
    const producer = await bench.producer()
    const { promise: held, resolve: finish } = Promise.withResolvers<void>()
    let starts = 0
    const consumer = await bench.consumer(
      async (delivery) => {
        starts += 1
        await held
        return { ...echoResult(delivery), stdout: 'x'.repeat(100_000) }
      },
      { concurrency: 2 },
    )
    consumer.run()
    const ids: string[] = []
    for (let at = 0; at < 6; at++) ids.push(await bench.enqueue())
    await until(() => starts === 2)
    await fillTo(1.05)
    await until(() => noticed(consumer), 'the worker to notice')
    // Locks that could not be renewed would expire now.
    await sleep(2000)
    finish()
    await until(async () => (await running()) === 0, 'the running jobs')
    expect(starts).toBe(2)
    const results = collect(producer)
    await until(() => results.length === 2, 'their results')
    expect(consumer.events.filter(({ type }) => type === 'stalled' || type === 'lockRenewalFailed')).toEqual(
      [],
    )
    expect(await consumer.lease.alive(['w1'])).toEqual(new Set(['w1']))
    expect((await consumer.stats()).quarantined).toMatchObject({ structure: 0 })
    await expect(bench.enqueue()).rejects.toThrow(StorageFullError)
    await bench.redis.del('filler')
    await until(() => results.length === ids.length, 'the other jobs')
    expect(results.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(consumer.full).toBe(false)
  })

  it('drains by itself when results are taken and expire', { timeout: scaled(60_000) }, async () => {
    const producer = await bench.producer()
    const consumer = await bench.consumer(
      async (delivery) => {
        await sleep(200)
        return { ...echoResult(delivery), errorMessage: 'x'.repeat(MIB) }
      },
      { concurrency: 1, resultTtlSeconds: 2 },
    )
    const ids: string[] = []
    for (let at = 0; at < 10; at++)
      ids.push(await bench.enqueue({ replyTo: at % 2 === 0 ? 'none' : 'default' }))
    const { used } = await readMemory(bench.redis)
    await bench.redis.config('SET', 'maxmemory', String(used + 4 * MIB))
    consumer.run()
    await until(() => noticed(consumer), 'the worker to notice')
    const results = collect(producer)
    await until(async () => (await consumer.stats()).prioritized === 0 && (await running()) === 0, 'all jobs')
    await until(() => results.length === ids.length / 2, 'all results')
  })

  it('drains by itself when no consumer takes the results, if their size has a maximum', {
    timeout: scaled(60_000),
  }, async () => {
    const consumer = await bench.consumer(
      async (delivery) => ({ ...echoResult(delivery), errorMessage: 'x'.repeat(MIB) }),
      { concurrency: 1, maxUntaken: { bytes: 3 * MIB } },
    )
    for (let at = 0; at < 10; at++) await bench.enqueue({ replyTo: at % 2 === 0 ? 'none' : 'unread' })
    const { used } = await readMemory(bench.redis)
    await bench.redis.config('SET', 'maxmemory', String(used + 4 * MIB))
    consumer.run()
    await until(() => noticed(consumer), 'the worker to notice')
    await until(
      async () => (await consumer.stats()).prioritized === 0 && (await running()) === 0,
      'all jobs',
      50,
    )
    expect(consumer.events.some(({ type }) => type === 'resultsDropped')).toBe(true)
  })

  it('takes the first part of a large output that it has no room for', async () => {
    const producer = await bench.producer()
    const { promise: held, resolve: finish } = Promise.withResolvers<void>()
    const random = randomBytes(3 * MIB).toString('base64')
    const consumer = await bench.consumer(async (delivery) => {
      await held
      return { ...echoResult(delivery), stdout: random }
    })
    consumer.run()
    const id = await bench.enqueue({ replyTo: 'none' })
    await until(async () => (await running()) === 1)
    const { used } = await readMemory(bench.redis)
    await bench.redis.config('SET', 'maxmemory', String(used + MIB))
    finish()
    const result = await producer.waitForResult(id)
    expect(result).toMatchObject({ status: 'success', truncated: { stdout: true } })
    expect(result.stdout).toBe(random.slice(0, 64 * 1024))
    expect(result).not.toHaveProperty('storedApart')
    expect(await bench.redis.keys(bench.key('outputs', '*'))).toEqual([])
  })

  it('lets a worker start, which says so and waits', async () => {
    const id = await bench.enqueue()
    await fillTo(1.05)
    const consumer = await bench.consumer()
    expect(consumer.full).toBe(true)
    await consumer.registerCatalogue([{ name: 'python', version: '3', aliases: [] }])
    consumer.run()
    await bench.redis.del('filler')
    const producer = await bench.producer()
    expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
  })
})
