import { parseJob } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { newJobId } from '../../src/index.ts'
import { Keys } from '../../src/redis/keys.ts'
import { sweepUntaken } from '../../src/results/untaken-results.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()
const sweep = (maxima = {}) => sweepUntaken(bench.redis, new Keys(bench.prefix), maxima)
const queued = (replyTo: string) => bench.redis.lrange(bench.key(`results-${replyTo}:wait`), 0, -1)
const isStored = async (id: string) => (await bench.redis.exists(bench.key('result', id))) === 1

/** Publishes one result after the other. */
async function publish(count: number, replyTo: string, code = 'x'): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    ids.push(await bench.enqueue({ code, replyTo }))
    await until(() => isStored(ids.at(-1) ?? ''))
  }
  return ids
}

async function untaken() {
  return (await (await bench.producer()).stats()).untaken
}

// promise: untaken-results
test('beyond the maximum number, the oldest results that nobody took go first, from their queue and from the store', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  const ids = [...(await publish(3, 'a')), ...(await publish(2, 'none')), ...(await publish(3, 'b'))]
  expect(await sweep({ results: 4 })).toEqual({ results: 4, bytes: 0 })
  expect(await queued('a')).toEqual([])
  expect(await queued('b')).toEqual(
    ids
      .slice(5)
      .map((id) => `r-${id}`)
      .reverse(),
  )
  expect(await Promise.all(ids.map(isStored))).toEqual([false, false, false, false, true, true, true, true])
  for (const id of ids.slice(0, 3))
    expect(await bench.redis.exists(bench.key('results-a', `r-${id}`))).toBe(0)
  expect(await untaken()).toMatchObject({ results: 4 })
  expect(await sweep({ results: 4 })).toEqual({ results: 0, bytes: 0 })
})

// promise: untaken-results
test('beyond the maximum of bytes, as many of the oldest go as are too many', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  const [large = ''] = await publish(1, 'none', 'x'.repeat(60_000))
  const small = await publish(3, 'none')
  await sweep()
  expect((await untaken()).bytes).toBeGreaterThan(60_000)
  expect(await sweep({ bytes: 30_000 })).toEqual({ results: 0, bytes: 1 })
  expect(await isStored(large)).toBe(false)
  expect(await Promise.all(small.map(isStored))).toEqual([true, true, true])
  expect((await untaken()).bytes).toBeLessThan(10_000)
})

// promise: untaken-results
test('results that were taken do not count and stay: from a queue, by waiting callers, and by their id', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  const producer = await bench.producer()
  const results = collect(producer, 'mine')
  const ids = await publish(3, 'mine')
  await until(() => results.length === 3)
  const waitedFor = newJobId()
  const waiting = producer.waitForResult(waitedFor).catch(() => producer.waitForResult(waitedFor))
  await producer.enqueue([{ id: waitedFor, job: parseJob({ code: 'x', replyTo: 'none' }) }])
  await waiting
  const [read = ''] = await publish(1, 'none')
  await producer.storedResult(read)
  const [left = ''] = await publish(1, 'none')
  await until(async () => {
    await sweep()
    return (await untaken()).results === 1
  })
  expect(await sweep({ results: 0 })).toEqual({ results: 1, bytes: 0 })
  expect(await Promise.all([...ids, waitedFor, read].map(isStored))).toEqual([true, true, true, true, true])
  expect(await isStored(left)).toBe(false)
  expect(await untaken()).toEqual({ results: 0, bytes: 0, oldestAgeSeconds: 0 })
})

test('a result that a consumer holds is not dropped; one that waits for another delivery is', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  const producer = await bench.producer()
  const { promise: held, resolve: finish } = Promise.withResolvers<void>()
  let rejected = 0
  producer.results('held', () => held)
  producer.results('late', async () => {
    rejected += 1
    throw new Error('not now')
  })
  const [heldId = ''] = await publish(1, 'held')
  await until(async () => (await bench.redis.exists(bench.key('results-held', `r-${heldId}`, 'lock'))) === 1)
  const [lateId = ''] = await publish(1, 'late')
  await until(async () => rejected > 4 && (await bench.redis.zcard(bench.key('results-late:delayed'))) === 1)
  expect(await sweep({ results: 0 })).toEqual({ results: 1, bytes: 0 })
  expect([await isStored(heldId), await isStored(lateId)]).toEqual([true, false])
  expect(await bench.redis.zcard(bench.key('results-late:delayed'))).toBe(0)
  finish()
  await until(async () => (await bench.redis.llen(bench.key('results-held:active'))) === 0)
})

test('a worker keeps to its maxima by itself, says so, and reports what is left', async () => {
  const first = await bench.consumer()
  first.run()
  const ids = await publish(5, 'unread')
  await first.close()
  const second = await bench.consumer(undefined, { workerId: 'w2', maxUntaken: { results: 2 } })
  second.run()
  await until(() => second.events.some(({ type }) => type === 'resultsDropped'))
  expect(second.events).toContainEqual({ type: 'resultsDropped', dropped: { results: 3, bytes: 0 } })
  expect(await queued('unread')).toEqual(
    ids
      .slice(3)
      .map((id) => `r-${id}`)
      .reverse(),
  )
  const { untaken, results } = await second.stats()
  expect(untaken.results).toBe(2)
  expect(untaken.bytes).toBeGreaterThan(1000)
  expect(untaken.oldestAgeSeconds).toBeGreaterThan(0)
  expect(results.waiting).toBe(2)
})

test('entries of other programs, and a key of the wrong type, stop neither publications nor the sweep', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  await bench.redis.zadd(bench.key('untaken'), 1, 'x', 2, 'a:b:c', 3, 'mine:wait', 4, 'none:')
  await bench.redis.lpush(bench.key('result:list'), 'x')
  await bench.redis.zadd(bench.key('untaken'), 5, 'none:list')
  const [id = ''] = await publish(1, 'none')
  expect(await sweep({ results: 1 })).toEqual({ results: 0, bytes: 0 })
  expect(await bench.redis.zrange(bench.key('untaken'), '0', '-1')).toEqual([`none:${id}`])
  await bench.redis.del(bench.key('untaken'))
  await bench.redis.set(bench.key('untaken'), 'a text')
  await publish(1, 'none')
  // The consumer's own sweep can have removed the text before the publication, which then counts.
  await sweep({ results: 0 })
  await publish(2, 'none')
  expect(await sweep({ results: 1 })).toEqual({ results: 1, bytes: 0 })
})

test('more results than a page are measured and dropped', async () => {
  const consumer = await bench.consumer(async (delivery) => echoResult(delivery), { concurrency: 50 })
  consumer.run()
  const producer = await bench.producer()
  const job = parseJob({ code: 'x', replyTo: 'many' })
  await producer.enqueue(Array.from({ length: 1300 }, () => ({ id: newJobId(), job })))
  await until(async () => (await queued('many')).length === 1300)
  expect(await sweep({ results: 10 })).toEqual({ results: 1290, bytes: 0 })
  expect(await queued('many')).toHaveLength(10)
  expect((await untaken()).results).toBe(10)
})
