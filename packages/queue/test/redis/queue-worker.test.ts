import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { JobInterrupted } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

/** A handler whose jobs wait until `open`; `wanted` asks for one more job for each waiting one. */
function waitingRoom() {
  const waiting = new Set<string>()
  const held: string[] = []
  const open = Promise.withResolvers<void>()
  return {
    waiting,
    held,
    open: open.resolve,
    wanted: () => 2 + waiting.size,
    handle: async (delivery: Parameters<typeof echoResult>[0], signal: AbortSignal) => {
      held.push(delivery.id)
      if (delivery.job.code !== 'wait') return echoResult(delivery)
      waiting.add(delivery.id)
      const aborted = new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
      await Promise.race([open.promise, aborted]).finally(() => waiting.delete(delivery.id))
      return echoResult(delivery)
    },
  }
}

describe('while taken jobs only wait for admission', () => {
  test('others are taken beyond the concurrency, and all get results', async () => {
    const room = waitingRoom()
    const producer = await bench.producer()
    const consumer = await bench.consumer(room.handle, { concurrency: 2, wanted: room.wanted })
    consumer.run()
    const slow = [await bench.enqueue({ code: 'wait' }), await bench.enqueue({ code: 'wait' })]
    await until(() => room.waiting.size === 2)
    const quick = await Promise.all(Array.from({ length: 8 }, () => bench.enqueue()))
    for (const id of quick) expect(await producer.waitForResult(id)).toMatchObject({ status: 'success' })
    expect(room.waiting.size).toBe(2)
    room.open()
    for (const id of slow)
      expect(await producer.waitForResult(id)).toMatchObject({ status: 'success', attempt: 1 })
    await until(async () => (await consumer.stats()).active === 0)
  })

  test('the locks of waiting jobs are renewed', async () => {
    const room = waitingRoom()
    const producer = await bench.producer()
    const consumer = await bench.consumer(room.handle, { concurrency: 1, wanted: () => 3 })
    consumer.run()
    const ids = await Promise.all(Array.from({ length: 3 }, () => bench.enqueue({ code: 'wait' })))
    await until(() => room.waiting.size === 3)
    await sleep(2500)
    room.open()
    for (const id of ids) expect(await producer.waitForResult(id)).toMatchObject({ attempt: 1 })
    expect(consumer.events.filter(({ type }) => type === 'stalled')).toEqual([])
  })

  test('no job is taken without a slot to run it', async () => {
    let running = 0
    const producer = await bench.producer()
    const consumer = await bench.consumer(
      async (delivery) => {
        running += 1
        await sleep(delivery.job.code === 'slow' ? 6 : 1)
        running -= 1
        return echoResult(delivery)
      },
      // More jobs are always wanted than run, so the concurrency changes all the time.
      { concurrency: 2, wanted: () => 2 + Math.min(running, 3) },
    )
    consumer.run()
    const ids: string[] = []
    for (let n = 0; n < 400; n++) ids.push(await bench.enqueue({ code: n % 8 === 0 ? 'slow' : 'quick' }))
    for (const id of ids) expect(await producer.waitForResult(id)).toMatchObject({ attempt: 1 })
    await until(async () => (await consumer.stats()).active === 0)
    expect(consumer.events.filter(({ type }) => type === 'stalled')).toEqual([])
  })

  test('no more jobs are taken than wanted', async () => {
    const room = waitingRoom()
    const consumer = await bench.consumer(room.handle, { concurrency: 2, wanted: () => 3 })
    consumer.run()
    await Promise.all(Array.from({ length: 6 }, () => bench.enqueue({ code: 'wait' })))
    await until(() => room.held.length >= 3)
    await sleep(300)
    expect(room.held).toHaveLength(3)
    expect(await consumer.stats()).toMatchObject({ prioritized: 3, active: 3 })
    room.open()
  })

  test('draining requeues all waiting jobs and takes no more', async () => {
    const room = waitingRoom()
    const consumer = await bench.consumer(room.handle, { concurrency: 1, wanted: () => 3 })
    consumer.run()
    const ids = await Promise.all(Array.from({ length: 5 }, () => bench.enqueue({ code: 'wait' })))
    await until(() => room.waiting.size === 3)
    await consumer.drain(50)
    expect(await consumer.stats()).toMatchObject({ waiting: 3, prioritized: 2, active: 0 })
    expect(consumer.events.filter(({ type }) => type === 'requeued')).toHaveLength(3)
    const left = await bench.redis.zrange(bench.key('jobs:prioritized'), '0', '-1')
    const requeued = await bench.redis.lrange(bench.key('jobs:wait'), 0, -1)
    expect([...requeued, ...left].sort()).toEqual([...ids].sort())
  })
})

test('a handler can requeue its job', async () => {
  const producer = await bench.producer()
  const leaving = await bench.consumer(async () => {
    void leaving.pause()
    throw new JobInterrupted('shutdown')
  })
  leaving.run()
  const id = await bench.enqueue()
  await until(() => leaving.events.some(({ type }) => type === 'requeued'))
  expect(await producer.storedResult(id)).toBeUndefined()
  expect(await bench.redis.lrange(bench.key('jobs:wait'), 0, -1)).toEqual([id])
})

test('a worker and a consumer of results whose connections break while they open recover', async () => {
  const id = await bench.enqueue()
  const consumer = await bench.consumer()
  const results = collect(await bench.producer())
  consumer.run()
  for (let n = 0; n < 50; n++) {
    await bench.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await nextTurn()
  }
  await until(() => results.some((result) => result.id === id))
  await until(async () => (await consumer.stats()).active === 0)
})
