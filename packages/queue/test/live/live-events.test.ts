import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError, type JobEvent, RetryableError, UnavailableError } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { type Handle, type Producer, UnknownJobError } from '../../src/index.ts'
import { echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

/** A gate that lets a handler wait. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: () => resolve() }
}

async function collect(events: AsyncIterable<JobEvent>): Promise<JobEvent[]> {
  const list: JobEvent[] = []
  for await (const event of events) list.push(event)
  return list
}

const withoutIds = (events: readonly JobEvent[]) => events.map(({ id: _, ...event }) => event)
const FINISHED = { type: 'finished', status: 'success' }

/** A handler that prints two lines, and waits in between. */
function printTwoLines(middle: Promise<void> = Promise.resolve()): Handle {
  return async (delivery) => {
    delivery.live?.running()
    delivery.live?.output('stdout', Buffer.from('one\n'))
    await middle
    delivery.live?.output('stderr', Buffer.from('two\n'))
    delivery.live?.test(0, 'a', 'passed')
    return echoResult(delivery)
  }
}

// promise: live-output
test('events arrive in order, the first ones while the job runs, and finished is the last', async () => {
  const middle = gate()
  const consumer = await bench.consumer(printTwoLines(middle.passed))
  consumer.run()
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  const seen: JobEvent[] = []
  for await (const event of producer.events(id)) {
    seen.push(event)
    if (event.type !== 'stdout') continue
    expect(await producer.storedResult(id)).toBeUndefined()
    middle.open()
  }
  expect(withoutIds(seen)).toEqual([
    { type: 'status', status: 'running', attempt: 1 },
    { type: 'stdout', text: 'one\n' },
    { type: 'stderr', text: 'two\n' },
    { type: 'test', index: 0, name: 'a', verdict: 'passed' },
    FINISHED,
  ])
  expect(new Set(seen.map((event) => event.id)).size).toBe(seen.length)
})

test('a reader can resume after every event id, also when the job is over', async () => {
  const consumer = await bench.consumer(printTwoLines())
  consumer.run()
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  await producer.waitForResult(id)
  const events = await collect(producer.events(id))
  expect(events).toHaveLength(5)
  for (const [index, { id: after }] of events.entries()) {
    expect(await collect(producer.events(id, { after }))).toEqual(events.slice(index + 1))
  }
})

// promise: live-output
test('a job without stream has only the finished event and no key', async () => {
  const consumer = await bench.consumer(async (delivery) => {
    expect(delivery.live).toBeUndefined()
    return echoResult(delivery)
  })
  const producer = await bench.producer()
  const id = await bench.enqueue()
  const reading = collect(producer.events(id))
  consumer.run()
  expect(withoutIds(await reading)).toEqual([FINISHED])
  expect(withoutIds(await collect(producer.events(id)))).toEqual([FINISHED])
  expect(await bench.redis.exists(bench.key('events', id))).toBe(0)
})

test('an unknown job and an invalid cursor are refused', async () => {
  const producer = await bench.producer()
  await expect(collect(producer.events('j-nothing'))).rejects.toThrow(UnknownJobError)
  await expect(collect(producer.events('not an id'))).rejects.toThrow(UnknownJobError)
  expect(() => producer.events('j-1', { after: '1-1\r\n' })).toThrow(ConfigError)
})

// promise: live-output
test('events can be read for some time after the end, then they expire', async () => {
  const consumer = await bench.consumer(printTwoLines())
  consumer.run()
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  await producer.waitForResult(id)
  await until(async () => (await bench.redis.ttl(bench.key('events', id))) <= 600)
  expect(await bench.redis.ttl(bench.key('events', id))).toBeGreaterThan(590)
  await bench.redis.del(bench.key('events', id))
  expect(withoutIds(await collect(producer.events(id)))).toEqual([FINISHED])
})

test('a new attempt voids earlier events, and later events of the old attempt are refused', async () => {
  let first: Parameters<Handle>[0]['live']
  const consumer = await bench.consumer(async (delivery) => {
    delivery.live?.running()
    delivery.live?.output('stdout', Buffer.from(`attempt ${delivery.attempt}\n`))
    if (delivery.attempt === 1) {
      first = delivery.live
      throw new RetryableError('the host is ill')
    }
    first?.output('stdout', Buffer.from('late\n'))
    return echoResult(delivery)
  })
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  const reading = collect(producer.events(id))
  consumer.run()
  const second = [
    { type: 'status', status: 'running', attempt: 2 },
    { type: 'stdout', text: 'attempt 2\n' },
    FINISHED,
  ]
  const live = withoutIds(await reading)
  expect(live.slice(-3)).toEqual(second)
  expect(live.slice(0, 2)).toEqual([
    { type: 'status', status: 'running', attempt: 1 },
    { type: 'stdout', text: 'attempt 1\n' },
  ])
  expect(withoutIds(await collect(producer.events(id)))).toEqual(second)
})

test('a split character arrives whole, and invalid bytes arrive as base64 too', async () => {
  const euro = Buffer.from('€')
  const consumer = await bench.consumer(async (delivery) => {
    delivery.live?.running()
    for (const byte of euro) {
      delivery.live?.output('stdout', Buffer.from([byte]))
      await sleep(20)
    }
    delivery.live?.output('stderr', Buffer.from([0xff, 0x41, 0xe2]))
    return echoResult(delivery)
  })
  consumer.run()
  const producer = await bench.producer()
  const events = withoutIds(await collect(producer.events(await bench.enqueue({ stream: true }))))
  expect(events.slice(1, -1)).toEqual([
    { type: 'stdout', text: '€' },
    { type: 'stderr', text: '\ufffdA', raw: Buffer.from([0xff, 0x41]).toString('base64') },
    { type: 'stderr', text: '\ufffd', raw: Buffer.from([0xe2]).toString('base64') },
  ])
})

// promise: live-output
test('a slow Redis does not delay the program; events are dropped, and their number is reported', async () => {
  let heldUp: unknown
  const consumer = await bench.consumer(async (delivery) => {
    delivery.live?.running()
    await bench.redis.call('CLIENT', 'PAUSE', 600, 'ALL')
    const write = async () => {
      for (let chunk = 0; chunk < 64; chunk += 1) {
        delivery.live?.output('stdout', Buffer.alloc(32 * 1024, 'x'))
        await sleep(2)
      }
    }
    const writing = write()
    heldUp = await Promise.race([writing.then(() => false), bench.redis.ping().then(() => true)])
    await writing
    return echoResult(delivery)
  })
  consumer.run()
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  const events = await collect(producer.events(id))
  const delivered = events.reduce((sum, event) => sum + (event.type === 'stdout' ? event.text.length : 0), 0)
  const dropped = events.reduce((sum, event) => sum + (event.type === 'dropped' ? event.bytes : 0), 0)
  expect(dropped).toBeGreaterThan(1024 * 1024)
  expect(delivered + dropped).toBe(64 * 32 * 1024)
  expect(heldUp).toBe(false)
  expect(consumer.events.filter(({ type }) => type === 'liveEventsDropped').length).toBeGreaterThan(30)
})

test('the output of a run in Redis is limited', { timeout: scaled(60_000) }, async () => {
  const consumer = await bench.consumer(async (delivery) => {
    delivery.live?.running()
    for (let chunk = 0; chunk < 160; chunk += 1) {
      delivery.live?.output('stdout', Buffer.alloc(64 * 1024, 'x'))
      await sleep(12)
    }
    return echoResult(delivery)
  })
  consumer.run()
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  await producer.waitForResult(id)
  expect(await bench.redis.memory('USAGE', bench.key('events', id))).toBeLessThan(10 * 1024 * 1024)
  const events = await collect(producer.events(id))
  expect(events.at(-2)).toMatchObject({ type: 'dropped' })
})

test('a slow reader delays no other reader and gets all events later', async () => {
  const middle = gate()
  const consumer = await bench.consumer(printTwoLines(middle.passed))
  consumer.run()
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  const slow = producer.events(id)[Symbol.asyncIterator]()
  expect((await slow.next()).value).toMatchObject({ type: 'status' })
  middle.open()
  expect(await collect(producer.events(id))).toHaveLength(5)
  const rest = []
  for (let step = await slow.next(); !step.done; step = await slow.next()) rest.push(step.value)
  expect(rest).toHaveLength(4)
})

async function connections(): Promise<number> {
  return String(await bench.redis.call('CLIENT', 'LIST'))
    .trim()
    .split('\n').length
}

// promise: live-output
test('two hundred readers share one connection', async () => {
  const middle = gate()
  const consumer = await bench.consumer(printTwoLines(middle.passed), { concurrency: 20 })
  const producer = await bench.producer()
  const ids = await Promise.all(Array.from({ length: 20 }, () => bench.enqueue({ stream: true })))
  consumer.run()
  // When all jobs have events, all connections of the worker are open.
  await until(async () => (await bench.redis.keys(bench.key('events:*'))).length === 20)
  const before = await connections()
  let begun = 0
  const readers = Array.from({ length: 200 }, async (_, n) => {
    const seen: JobEvent[] = []
    for await (const event of producer.events(ids[n % 20] ?? '')) {
      if (event.type === 'stdout') begun += 1
      seen.push(event)
    }
    return seen
  })
  await until(() => begun === 200)
  // One for the streams, one for the results.
  expect(await connections()).toBeLessThanOrEqual(before + 2)
  middle.open()
  for (const seen of await Promise.all(readers)) expect(seen).toHaveLength(5)
})

test('a reader that leaves does not affect other readers of the job', async () => {
  const middle = gate()
  const consumer = await bench.consumer(printTwoLines(middle.passed))
  consumer.run()
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  const stop = new AbortController()
  const stays = collect(producer.events(id))
  const leaves = expect(collect(producer.events(id, { signal: stop.signal }))).rejects.toThrow('enough')
  for await (const { type } of producer.events(id)) if (type === 'stdout') break
  stop.abort(new Error('enough'))
  await leaves
  middle.open()
  expect(await stays).toHaveLength(5)
  expect(await collect(producer.events(id))).toHaveLength(5)
})

test('an abort ends one reader, and the end of the connection all of them', async () => {
  const producer = await bench.producer()
  const id = await bench.enqueue({ stream: true })
  const stop = new AbortController()
  const one = collect(producer.events(id, { signal: stop.signal }))
  const other = collect(producer.events(id))
  const refused = expect(other).rejects.toThrow(UnavailableError)
  await sleep(50)
  stop.abort(new Error('enough'))
  await expect(one).rejects.toThrow('enough')
  await producer.close()
  await refused
})

test('a key of the wrong type does not affect readers of other jobs', async () => {
  const middle = gate()
  const consumer = await bench.consumer(printTwoLines(middle.passed))
  const producer: Producer = await bench.producer()
  const [broken, sound] = [await bench.enqueue({ stream: true }), await bench.enqueue({ stream: true })]
  await bench.redis.set(bench.key('events', broken), 'x')
  const readers = [collect(producer.events(broken)), collect(producer.events(sound))]
  consumer.run()
  await sleep(300)
  middle.open()
  const [none, five] = await Promise.all(readers)
  expect(withoutIds(none ?? [])).toEqual([FINISHED])
  expect(five).toHaveLength(5)
  expect(await bench.redis.get(bench.key('events', broken))).toBe('x')
})
