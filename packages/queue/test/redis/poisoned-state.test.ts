import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { until, useBench } from '../harness.ts'

const bench = useBench()
const key = (...parts: string[]) => bench.key(...parts)

/** Puts a job into the queue directly in Redis, without a client. */
async function enqueueRaw(id: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
  const usual = { name: 'n', data: '{"code":"x"}', opts: '{}', timestamp: '1' }
  await bench.redis.hset(key('jobs', id), { ...usual, ...fields })
  await bench.redis.lpush(key('jobs:wait'), id)
  await bench.redis.zadd(key('jobs:marker'), 0, '0')
}

/** The status of a job's result, or a note that none arrived. */
async function resultOf(id: string, ms = 12_000): Promise<string> {
  const producer = await bench.producer()
  const result = await Promise.race([producer.waitForResult(id), sleep(scaled(ms), undefined)])
  return result?.status ?? 'no result'
}

const honest = async () => await resultOf(await bench.enqueue())

// promise: poisoned-queue
describe.concurrent('a key of the right type with unusable content', () => {
  it.each(['opts.maxLenEvents', 'concurrency', 'duration'])(
    'can be meta with a word as %s',
    async (field) => {
      const consumer = await bench.consumer()
      consumer.run()
      expect(await honest()).toBe('success')
      await bench.redis.hset(key('jobs:meta'), { max: '1000', [field]: 'abc' })
      await enqueueRaw('after')
      expect(await resultOf('after')).toBe('success')
      expect(await honest()).toBe('success')
    },
  )

  it('can be a priority counter that is not a number', async () => {
    await bench.redis.set(key('jobs:pc'), 'abc')
    const consumer = await bench.consumer()
    consumer.run()
    await bench.redis.hset(key('jobs:later'), { name: 'n', data: '{"code":"x"}', opts: '{}', priority: '3' })
    await bench.redis.zadd(key('jobs:delayed'), 1, 'later')
    await bench.redis.zadd(key('jobs:marker'), 0, '0')
    expect(await resultOf('later')).toBe('success')
    expect(await resultOf(await bench.enqueue({ priority: 7 }))).toBe('success')
  })

  it('can be a stalled check that never expires', async () => {
    const id = await bench.enqueue()
    await bench.redis.zrem(key('jobs:prioritized'), id)
    await bench.redis.lpush(key('jobs:active'), id)
    await bench.redis.set(key('jobs:stalled-check'), '1')
    const consumer = await bench.consumer(undefined, { lockDurationMs: 600, stalledIntervalMs: 200 })
    consumer.run()
    expect(await resultOf(String(id))).toBe('success')
  })

  it('can be a delayed job with a priority that is not a number; other jobs stay', async () => {
    const ids = ['one', 'two', 'three']
    for (const id of ids)
      await bench.redis.hset(key('jobs', id), { name: 'n', data: '{"code":"x"}', opts: '{}' })
    await bench.redis.hset(key('jobs:two'), 'priority', 'nan')
    for (const [score, id] of ids.entries()) await bench.redis.zadd(key('jobs:delayed'), score + 1, id)
    const consumer = await bench.consumer()
    consumer.run()
    for (const id of ids) expect([id, await resultOf(id)]).toEqual([id, 'success'])
  })

  it.each(['counts', 'field', 'list', 'name'])('can be the quarantine itself: its %s', async (part) => {
    const consumer = await bench.consumer()
    consumer.run()
    if (part === 'counts') await bench.redis.set(key('quarantine:counts'), 'x')
    if (part === 'field') await bench.redis.hset(key('quarantine:counts'), 'malformed', 'x')
    if (part === 'list') await bench.redis.set(key('quarantine'), 'x')
    if (part === 'name') await bench.redis.set(key('jobs:delayed'), 'x')
    await bench.redis.lpush(key('jobs:wait'), 'a:b', 'c:d')
    await bench.redis.zadd(key('jobs:marker'), 0, '0')
    expect(await honest()).toBe('success')
    const late = await bench.consumer(undefined, { workerId: 'w2' })
    late.run()
    expect(await honest()).toBe('success')
  })
})

describe.concurrent('a job with BullMQ features that Isopod does not use', () => {
  const fields: [string, Record<string, string>][] = [
    ['a parent that is nothing', { parent: 'null', parentKey: 'x' }],
    ['a parent too deep for Redis', { parent: `${'['.repeat(1500)}${']'.repeat(1500)}` }],
    [
      'a parent that is the list of waiting jobs',
      { parentKey: '{t}:jobs:wait', parent: '{"id":"wait","queueKey":"x"}' },
    ],
    ['a parent of the wrong type', { parentKey: 'odd-parent', parent: '{"id":"p","queueKey":"odd"}' }],
    ['a mark against doubles', { deid: 'odd' }],
    ['a schedule', { rjk: 'x', opts: '{"repeat":{"every":1}}' }],
    ['a schedule that is none', { rjk: 'a:b:c:d:e', opts: '{"repeat":{"pattern":"x x"}}' }],
    ['options that are nothing', { opts: 'null' }],
    ['options that are a list', { opts: '[1]' }],
    ['a failure of its own', { defa: 'x', failedReason: '{', stacktrace: '{' }],
    ['counters that are none', { ats: 'x', atm: '1e99', stc: '-1' }],
  ]
  it.each(fields)(
    '%s blocks nothing',
    async (_, given) => {
      await bench.redis.set('odd-parent:dependencies', 'x')
      await bench.redis.hset(key('jobs:de:odd'), 'x', 'y')
      const consumer = await bench.consumer()
      consumer.run()
      for (let at = 0; at < 5; at++) await enqueueRaw(`odd-${at}`, given)
      expect(await honest()).toBe('success')
      for (let at = 0; at < 5; at++) expect(await resultOf(`odd-${at}`)).not.toBe('no result')
      await until(async () => (await consumer.stats()).active === 0, 'the slots')
    },
    scaled(60_000),
  )

  const beside: [string, string, (key: string) => Promise<unknown>][] = [
    ['children', 'jobs:odd-0:dependencies', (name) => bench.redis.sadd(name, 'x')],
    ['children of the wrong type', 'jobs:odd-0:dependencies', (name) => bench.redis.set(name, 'x')],
    ['children that failed', 'jobs:odd-0:unsuccessful', (name) => bench.redis.zadd(name, 1, 'x')],
    ['a result of the wrong type', 'result:odd-0', (name) => bench.redis.hset(name, 'x', 'y')],
    [
      'an entry of the results queue of the wrong type',
      'results-default:r-odd-0',
      (name) => bench.redis.set(name, 'y'),
    ],
    ['a queue of results of the wrong type', 'results-default:wait', (name) => bench.redis.set(name, 'y')],
    [
      'a queue of results whose options are of the wrong type',
      'results-default:meta',
      (name) => bench.redis.set(name, 'y'),
    ],
  ]
  it.each(beside)(
    '%s block nothing',
    async (_, name, write) => {
      const consumer = await bench.consumer(undefined, { concurrency: 1 })
      consumer.run()
      await write(key(name))
      await enqueueRaw('odd-0')
      expect(await honest()).toBe('success')
      expect(await resultOf('odd-0')).toBe('success')
      await until(async () => (await consumer.stats()).active === 0, 'the slots')
    },
    scaled(30_000),
  )
})

it('a job above the maximum size never runs', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  await enqueueRaw('giant')
  await bench.redis.eval(
    "redis.call('HSET', KEYS[1], 'stacktrace', string.rep('x', 200000000))",
    1,
    key('jobs:giant-2'),
  )
  await enqueueRaw('giant-2')
  expect(await resultOf('giant')).toBe('success')
  expect(await honest()).toBe('success')
  expect((await consumer.stats()).quarantined).toMatchObject({ too_large: 1 })
  expect(await resultOf('giant-2')).toBe('setup_error')
  await bench.redis.del(key('quarantine:job:giant-2'))
})

it.concurrent.each([
  'deployment',
  'catalogue',
  'lease:w9',
  'claim:sweep',
  'reply-queues',
  'jobs:meta',
  'jobs:wait',
])('a worker starts although %s has the wrong type', async (name) => {
  await bench.redis.hset(key(name), 'x', 'y')
  if (name === 'jobs:meta') await bench.redis.del(key(name))
  if (name === 'jobs:meta') await bench.redis.set(key(name), 'y')
  const consumer = await bench.consumer(undefined, { workerId: 'w9' })
  consumer.run()
  await sleep(1000)
  expect(await honest()).toBe('success')
})

describe('many invalid jobs', () => {
  it('poisoned ids among the active jobs do not block Redis', { timeout: scaled(60_000) }, async () => {
    const consumer = await bench.consumer()
    consumer.run()
    const ids = Array.from({ length: 20_000 }, (_, at) => `a:${at}`)
    await bench.redis.rpush(key('jobs:active'), ...ids)
    const quarantined = async () => (await consumer.stats()).quarantined.malformed
    await until(async () => (await quarantined()) > 0, 'the quarantine')
    // A single script call for all of them would block Redis for seconds.
    expect(await quarantined()).toBeLessThan(ids.length / 2)
    expect(await honest()).toBe('success')
  })

  it.each([
    ['options', { data: '{}', opts: '[' }],
    ['data', { data: '{', opts: '{}' }],
  ])(
    '%s that are not JSON do not block later jobs',
    async (_, fields) => {
      const pipeline = bench.redis.pipeline()
      for (let at = 0; at < 3000; at++) {
        pipeline.hset(key('jobs', `bad-${at}`), { name: 'n', ...fields })
        pipeline.lpush(key('jobs:wait'), `bad-${at}`)
      }
      await pipeline.exec()
      const consumer = await bench.consumer()
      consumer.run()
      expect(await resultOf(await bench.enqueue(), 20_000)).toBe('success')
    },
    scaled(60_000),
  )
})

describe.concurrent('the sweep', () => {
  it.each(['a long id', 'a lock', 'children'])(
    'gets past failed entries with %s',
    async (what) => {
      for (let at = 0; at < 120; at++) {
        const id = what === 'a long id' ? `${'x'.repeat(125)}-${at + 1000}`.slice(0, 130) : `odd-${at}`
        if (what !== 'a long id')
          await bench.redis.hset(key('jobs', id), { data: '{"code":"x"}', opts: '{}' })
        if (what === 'a lock') await bench.redis.set(key('jobs', id, 'lock'), 'x')
        if (what === 'children') await bench.redis.set(key('jobs', id, 'dependencies'), 'x')
        await bench.redis.zadd(key('jobs:failed'), at, id)
      }
      await bench.redis.hset(key('jobs:lost'), { data: '{"code":"x"}', opts: '{}' })
      await bench.redis.zadd(key('jobs:failed'), 1000, 'lost')
      const consumer = await bench.consumer()
      consumer.run()
      await sleep(3000)
      const later = await bench.consumer(undefined, { workerId: 'w2' })
      later.run()
      expect(await resultOf('lost')).toBe('setup_error')
    },
    scaled(60_000),
  )

  it.each([
    ['is claimed without an end', 'claim:sweep', 'SET'],
    ['is claimed by a list', 'claim:sweep', 'LPUSH'],
    ['has queues that are a text', 'reply-queues', 'SET'],
  ])('of stale results goes on where it %s', async (_, name, command) => {
    await bench.redis.call(command, key(name), 'x')
    const consumer = await bench.consumer()
    consumer.run()
    await until(async () => (await bench.redis.pttl(key(name))) !== -1, 'the sweep', 5)
    expect(consumer.events.filter(({ type }) => type === 'error')).toEqual([])
  })

  it.each(['a:b', '', 'odd'])(
    'of stale results gets past a queue named "%s"',
    async (name) => {
      await bench.redis.zadd(key('reply-queues'), 1, name, Date.now(), 'zzz')
      await bench.redis.hset(key('results-zzz:r-old'), {
        name: 'result',
        data: '{}',
        opts: '{}',
        timestamp: '1',
      })
      await bench.redis.lpush(key('results-zzz:wait'), 'r-old')
      await bench.redis.set(key('results-odd:wait'), 'x')
      const consumer = await bench.consumer()
      consumer.run()
      await until(async () => (await bench.redis.llen(key('results-zzz:wait'))) === 0, 'the sweep', 8)
    },
    scaled(60_000),
  )
})
