import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JobsOptions, Queue, QueueKeys } from 'bullmq'
import { Redis } from 'ioredis'
import { describe, expect, it, test } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { UnknownJobError } from '../../src/index.ts'
import { isSafeId } from '../../src/redis/safe-id.ts'
import { collect, until, useBench } from '../harness.ts'

const bench = useBench()

/** Names that the installed BullMQ uses for keys of a queue; keys of jobs have the same form, so such an id would collide. */
const RESERVED = Object.keys(new QueueKeys('x').getKeys('x')).filter((name) => name !== '')
/** Commands per second: far more than a nearly idle worker needs, and far fewer than a busy loop sends. */
const QUIET = 200

/** Counts the commands per second that name keys of the test's own prefix. */
async function commandRate(): Promise<number> {
  const monitor = connect(bench.url.replace('redis+unix://', ''))
  let lines = ''
  monitor.on('data', (chunk) => {
    lines += chunk
  })
  monitor.write('MONITOR\r\n')
  await sleep(500)
  monitor.destroy()
  return 2 * lines.split('\r\n').filter((line) => line.includes(`"{${bench.prefix}}:`)).length
}

/** Puts ids into the queue directly in Redis, without a client. */
async function push(...ids: (string | Buffer)[]): Promise<void> {
  await bench.redis.lpush(bench.key('jobs:wait'), ...ids)
  await bench.redis.zadd(bench.key('jobs:marker'), 0, '0')
}

/** Checks that a valid job gets its result within seconds, and that the worker is idle afterwards. */
async function isWell(): Promise<void> {
  const producer = await bench.producer()
  const waits = producer.waitForResult(await bench.enqueue())
  expect(await Promise.race([waits, sleep(10_000, 'no result')])).toMatchObject({ status: 'success' })
  expect(await commandRate()).toBeLessThan(QUIET)
}

const quarantine = () => bench.redis.lrange(bench.key('quarantine'), 0, -1)

// promise: poisoned-queue
describe.concurrent('a raw job id that is one of BullMQ’s own key names', () => {
  test.each(RESERVED)('%s affects neither the queue nor the worker', async (name) => {
    const consumer = await bench.consumer()
    consumer.run()
    await push(name)
    await isWell()
    expect(await quarantine()).toEqual([`reserved ${name}`])
    expect((await consumer.stats()).quarantined).toMatchObject({ reserved: 1 })
  })

  it('has no effect if all of them wait before the worker starts', async () => {
    await push(...RESERVED, ...RESERVED)
    const consumer = await bench.consumer()
    consumer.run()
    await isWell()
    expect((await consumer.stats()).quarantined).toMatchObject({ reserved: 2 * RESERVED.length })
    expect(await consumer.stats()).toMatchObject({ waiting: 0, active: 0, delayed: 0, failed: 0 })
  })

  it('is filtered when a job ends, too', async () => {
    const producer = await bench.producer()
    const consumer = await bench.consumer(undefined, { concurrency: 1 })
    const ids: string[] = []
    for (const name of RESERVED) {
      ids.push(await bench.enqueue())
      await push(name)
    }
    ids.push(await bench.enqueue())
    consumer.run()
    const results = await Promise.all(ids.map((id) => producer.waitForResult(id)))
    expect(results.map(({ status }) => status)).toEqual(ids.map(() => 'success'))
    expect(await quarantine()).toHaveLength(RESERVED.length)
  })

  it('removes no valid job that is delayed or has a priority', async () => {
    const producer = await bench.producer()
    const connection = new Redis({ path: bench.url.replace('redis+unix://', ''), maxRetriesPerRequest: null })
    const queue = new Queue('jobs', { connection, prefix: `{${bench.prefix}}` })
    const add = (jobId: string, options: JobsOptions) => queue.add('n', { code: 'x' }, { jobId, ...options })
    for (let at = 0; at < 5; at++) {
      await add(`delayed-${at}`, { delay: 300 })
      await add(`prioritized-${at}`, { priority: 5 })
    }
    for (const [at, name] of [...RESERVED, 'bad id'].entries()) {
      await bench.redis.zadd(bench.key('jobs:delayed'), at, name)
      await bench.redis.zadd(bench.key('jobs:prioritized'), at, name)
    }
    const consumer = await bench.consumer()
    consumer.run()
    for (let at = 0; at < 5; at++) {
      expect(await producer.waitForResult(`delayed-${at}`)).toMatchObject({ status: 'success' })
      expect(await producer.waitForResult(`prioritized-${at}`)).toMatchObject({ status: 'success' })
    }
    await isWell()
    await queue.close()
    connection.disconnect()
  })

  it('removes no waiting job if it is among the failed ones', async () => {
    const producer = await bench.producer()
    const ids = [await bench.enqueue(), await bench.enqueue()]
    await bench.redis.zadd(bench.key('jobs:failed'), 1, 'wait', 2, 'meta', 3, 'prioritized')
    const consumer = await bench.consumer()
    consumer.run()
    for (const id of ids) expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
    await until(async () => (await consumer.stats()).failed === 0)
    expect(await quarantine()).toHaveLength(3)
  })

  it('does not hide a lost job if it is among the active ones', async () => {
    const producer = await bench.producer()
    const id = await bench.enqueue()
    await bench.redis.zrem(bench.key('jobs:prioritized'), id)
    await bench.redis.lpush(bench.key('jobs:active'), id)
    await bench.redis.lpush(bench.key('jobs:active'), ...RESERVED, 'bad id')
    await bench.redis.hset(bench.key('jobs', id), 'stc', 'no number')
    const consumer = await bench.consumer(undefined, { lockDurationMs: 600, stalledIntervalMs: 200 })
    consumer.run()
    expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
    await until(async () => (await consumer.stats()).active === 0)
  })
})

describe.concurrent('a queue entry that is not a job', () => {
  const types: [string, (key: string) => Promise<unknown>][] = [
    ['a string', (key) => bench.redis.set(key, 'x')],
    ['a list', (key) => bench.redis.lpush(key, 'x')],
    ['a set', (key) => bench.redis.sadd(key, 'x')],
    ['a sorted set', (key) => bench.redis.zadd(key, 1, 'x')],
    ['a stream', (key) => bench.redis.xadd(key, '*', 'x', 'y')],
  ]

  it.each(types)('%s under the key of a job goes to the quarantine', async (_, write) => {
    const consumer = await bench.consumer()
    consumer.run()
    await write(bench.key('jobs:odd'))
    await push('odd')
    await isWell()
    expect(await quarantine()).toEqual(['wrong_type odd'])
    expect(await bench.redis.exists(bench.key('jobs:odd'))).toBe(0)
    expect(await bench.redis.ttl(bench.key('quarantine:job:odd'))).toBeGreaterThan(0)
    const producer = await bench.producer()
    expect(await producer.storedResult('odd')).toMatchObject({ status: 'setup_error' })
  })

  it.each([
    ['of 1 MB', 'x'.repeat(1_000_000)],
    ['that is not UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0xc3])],
    ['that is empty', ''],
    ['with a colon', 'a:b'],
    ['with a newline', 'a\nb'],
    ['like an old marker', '0:123'],
  ])('an id %s goes to the quarantine', async (_, id) => {
    const consumer = await bench.consumer()
    consumer.run()
    await push(id)
    await isWell()
    const [kept = ''] = await quarantine()
    expect(kept).toMatch(/^malformed /)
    expect(kept.length).toBeLessThan(200)
  })

  it('gets a result if it has no hash, or counters that are not numbers', async () => {
    const producer = await bench.producer()
    const consumer = await bench.consumer()
    consumer.run()
    const data = JSON.stringify({ code: 'x' })
    await bench.redis.hset(bench.key('jobs:odd'), {
      name: 'n',
      data,
      opts: '{}',
      ats: 'x',
      stc: 'y',
      atm: 'z',
    })
    await push('ghost', 'odd')
    expect(await producer.waitForResult('ghost')).toMatchObject({ status: 'setup_error' })
    expect(await producer.waitForResult('odd')).toMatchObject({ id: 'odd' })
    await isWell()
  })

  it('is counted completely, reported in few events, and quarantined up to a maximum', async () => {
    const consumer = await bench.consumer()
    await push(...Array.from({ length: 3500 }, (_, at) => `bad id ${at}`))
    consumer.run()
    await isWell()
    expect((await consumer.stats()).quarantined).toEqual({
      malformed: 3500,
      reserved: 0,
      wrong_type: 0,
      too_large: 0,
      lost: 0,
      structure: 0,
    })
    expect(await quarantine()).toHaveLength(1000)
    await until(() => consumer.events.some(({ type }) => type === 'quarantined'))
    expect(consumer.events.length).toBeLessThan(20)
  })
})

describe.concurrent('a key of the queue of the wrong type', () => {
  const structures = ['wait', 'active', 'prioritized', 'delayed', 'marker', 'stalled', 'meta']

  it.each(structures)('%s goes to the quarantine, and the queue continues', async (name) => {
    const consumer = await bench.consumer(undefined, { lockDurationMs: 600, stalledIntervalMs: 200 })
    consumer.run()
    await isWell()
    await bench.redis.set(bench.key('jobs', name), 'x')
    await until(async () => (await bench.redis.type(bench.key('quarantine', name))) === 'string', name)
    await isWell()
  })

  it('goes to the quarantine before the worker sweeps failed jobs', async () => {
    await bench.redis.set(bench.key('jobs:failed'), 'x')
    const consumer = await bench.consumer()
    consumer.run()
    await until(async () => (await bench.redis.type(bench.key('quarantine:failed'))) === 'string')
    await isWell()
  })
})

describe.concurrent('a worker', () => {
  const full = useBench({ each: true })

  it('backs off while Redis refuses commands, and takes jobs again soon afterwards', {
    timeout: scaled(40_000),
  }, async () => {
    const consumer = await full.consumer()
    const producer = await full.producer()
    const succeeds = async () =>
      expect(await producer.waitForResult(await full.enqueue())).toMatchObject({ status: 'success' })
    const total = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await full.redis.info('stats'))?.[1])
    consumer.run()
    await succeeds()
    await full.redis.config('SET', 'maxmemory', '1')
    // The worker waits for a job for up to 5 s before it calls the full Redis.
    await sleep(6000)
    const [events, before] = [consumer.events.length, await total()]
    await sleep(500)
    expect(((await total()) - before) * 2).toBeLessThan(50)
    expect(consumer.events.length - events).toBeLessThan(10)
    await full.redis.config('SET', 'maxmemory', '0')
    await succeeds()
  })
})

test.concurrent('a poisoned results queue still delivers results', async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const consumer = await bench.consumer()
  consumer.run()
  await bench.redis.set(bench.key('results-default:odd'), 'x')
  await bench.redis.lpush(bench.key('results-default:wait'), ...RESERVED, 'bad id', 'odd')
  const id = await bench.enqueue()
  await until(() => results.some((result) => result.id === id))
  expect(await commandRate()).toBeLessThan(QUIET)
})

test.concurrent('no client accepts one of BullMQ’s own key names as a job id', async () => {
  const producer = await bench.producer()
  await bench.enqueue()
  for (const name of RESERVED) {
    expect(isSafeId(name)).toBe(false)
    expect(await producer.cancel(name)).toBe('unknown')
    expect(await producer.storedResult(name)).toBeUndefined()
    await expect(producer.waitForResult(name)).rejects.toThrow(UnknownJobError)
  }
})
