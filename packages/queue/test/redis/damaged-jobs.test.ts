import { setTimeout as sleep } from 'node:timers/promises'
import { parseJob } from '@isopod/protocol'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { newJobId, openQuarantine } from '../../src/index.ts'
import { sweepOrphans } from '../../src/jobs/sweep-orphans.ts'
import { Keys } from '../../src/redis/keys.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()
const key = (...parts: string[]) => bench.key(...parts)

/** The result of a job, or a note that none arrived. */
async function resultOf(id: string): Promise<unknown> {
  const producer = await bench.producer()
  return await Promise.race([producer.waitForResult(id), sleep(12_000, 'no result')])
}

const gone = { status: 'setup_error', attributable: false, errorMessage: expect.stringContaining('gone') }

// promise: poisoned-queue
describe.concurrent('an accepted job ends with a result, also if another program', () => {
  it.each([
    ['removes its data', (id: string) => bench.redis.del(key('jobs', id))],
    ['replaces its data', (id: string) => bench.redis.set(key('jobs', id), 'x')],
    [
      'makes its data unreadable',
      async (id: string) => {
        await bench.redis.del(key('jobs', id))
        await bench.redis.rpush(key('jobs', id), 'x')
      },
    ],
  ])('%s while it waits', async (_, damage) => {
    const ids = [await bench.enqueue(), await bench.enqueue({ priority: 3 })]
    for (const id of ids) await damage(id)
    const consumer = await bench.consumer()
    consumer.run()
    for (const id of ids) expect(await resultOf(id)).toMatchObject(gone)
    await until(async () => (await consumer.stats()).active === 0)
    for (const id of ids) expect(await bench.redis.exists(key('jobs', id))).toBe(0)
  })

  it.each(['del', 'set'])(
    'does so while it runs: %s',
    async (command) => {
      const { promise: held, resolve: finish } = Promise.withResolvers<void>()
      let isRunning = false
      const consumer = await bench.consumer(async (delivery) => {
        isRunning = true
        await held
        return echoResult(delivery)
      })
      consumer.run()
      const id = await bench.enqueue()
      await until(() => isRunning)
      await bench.redis.call(command, key('jobs', id), ...(command === 'set' ? ['x'] : []))
      finish()
      // Without its data the job is unknown, until its lock expires and it is taken again.
      const producer = await bench.producer()
      await until(async () => (await producer.storedResult(id)) !== undefined)
      expect(await producer.storedResult(id)).toMatchObject(gone)
    },
    scaled(20_000),
  )

  it.each([
    ['removes the list of waiting jobs', () => bench.redis.del(key('jobs:wait'), key('jobs:prioritized'))],
    ['overwrites the list of waiting jobs', () => bench.redis.set(key('jobs:prioritized'), 'x')],
  ])('%s', async (_, damage) => {
    const ids: string[] = []
    for (let at = 0; at < 250; at++) ids.push(await bench.enqueue())
    ids.push(await bench.enqueue({ priority: 3 }))
    await damage()
    const consumer = await bench.consumer()
    consumer.run()
    const producer = await bench.producer()
    const results = await Promise.race([
      Promise.all(ids.map((id) => producer.waitForResult(id))),
      sleep(12_000, []),
    ])
    expect(results.map(({ status }) => status)).toEqual(ids.map(() => 'success'))
    expect((await consumer.stats()).quarantined.lost).toBeGreaterThanOrEqual(250)
  })

  it('removes one that BullMQ has failed', async () => {
    const id = await bench.enqueue()
    await bench.redis.lrem(key('jobs:wait'), 1, id)
    await bench.redis.del(key('jobs', id))
    await bench.redis.zadd(key('jobs:failed'), 1, id)
    const consumer = await bench.consumer()
    consumer.run()
    expect(await resultOf(id)).toMatchObject({ status: 'setup_error' })
    await until(async () => (await bench.redis.exists(key('jobs:failed'), key('jobs', id))) === 0)
  })

  it('damages its entry in the results queue: the stored result is delivered', async () => {
    const consumer = await bench.consumer()
    consumer.run()
    const producer = await bench.producer()
    const ids = [await bench.enqueue(), await bench.enqueue(), await bench.enqueue()]
    const [emptied = '', removed = '', replaced = ''] = ids
    await Promise.all(ids.map((id) => producer.waitForResult(id)))
    await bench.redis.hset(key('results-default', `r-${emptied}`), 'data', '{}')
    await bench.redis.del(key('results-default', `r-${removed}`), key('results-default', `r-${replaced}`))
    await bench.redis.set(key('results-default', `r-${replaced}`), 'x')
    const results = collect(producer)
    await until(() => results.length === ids.length)
    expect(results.map(({ id }) => id).sort()).toEqual(ids.sort())
  })
})

it('a sweep lets no job wait again that is in a list', async () => {
  const redis = new Redis({ path: bench.url.replace('redis+unix://', '') })
  onTestFinished(() => redis.disconnect())
  const keys = new Keys(bench.prefix)
  const producer = await bench.producer()
  const ids = Array.from({ length: 3000 }, newJobId)
  await producer.enqueue(ids.map((id, at) => ({ id, job: parseJob({ code: 'x', priority: at % 3 }) })))
  const [active = '', , delayed = ''] = await redis.zpopmin(keys.jobs('prioritized'), 2)
  await redis.lpush(keys.jobs('active'), active)
  await redis.zadd(keys.jobs('delayed'), Date.now() + 60_000, delayed)
  expect(await sweepOrphans(redis, keys)).toBe(0)
  await redis.zrem(keys.jobs('delayed'), delayed)
  expect(await sweepOrphans(redis, keys)).toBe(1)
  expect(await redis.lindex(keys.jobs('wait'), 0)).toBe(delayed)
  expect(await sweepOrphans(redis, keys)).toBe(0)
})

it('the quarantine lists what was damaged', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  await bench.redis.set(key('jobs:odd'), 'x')
  await bench.redis.lpush(key('jobs:wait'), 'a b', 'odd')
  await bench.redis.zadd(key('jobs:marker'), 0, '0')
  await resultOf(await bench.enqueue())
  const quarantine = await openQuarantine({ url: bench.url, prefix: bench.prefix })
  onTestFinished(() => quarantine.close())
  expect(await quarantine.entries()).toEqual([
    { reason: 'wrong_type', id: 'odd' },
    { reason: 'malformed', id: 'a b' },
  ])
  expect(await quarantine.counts()).toMatchObject({ wrong_type: 1, malformed: 1, lost: 0 })
})
