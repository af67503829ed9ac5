import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseJob } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { newJobId } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench({ persistent: true, each: true })

test.concurrent('a restart of Redis loses no job and publishes no result twice', {
  timeout: scaled(80_000),
}, async () => {
  const producer = await bench.producer()
  const results = collect(producer)
  const consumer = await bench.consumer(async (delivery) => {
    await sleep(20)
    return echoResult(delivery)
  })
  consumer.run()
  const ids = Array.from({ length: 60 }, newJobId)
  await producer.enqueue(ids.map((id) => ({ id, job: parseJob({ code: id }) })))
  const waiting = ids.map((id) => producer.waitForResult(id))
  await until(() => results.length >= 5, 'the first results')
  await bench.restartRedis()
  expect((await Promise.all(waiting)).map((result) => result.stdout)).toEqual(ids)
  // A result that was lost with its connection is delivered again when its lock has expired.
  await until(() => results.length >= ids.length, 'all results', 40)
  await sleep(500)
  expect(new Set(results.map((result) => result.id)).size).toBe(ids.length)
  expect(consumer.events.some((event) => event.type === 'redisDown')).toBe(true)
  expect(consumer.events.some((event) => event.type === 'redisUp')).toBe(true)
  await until(async () => (await consumer.stats()).active === 0, 'the end of all jobs')
})

test.concurrent('an outcome that is finished during an outage of Redis is published afterwards, without another run', async () => {
  const producer = await bench.producer()
  let runs = 0
  let finish = () => {}
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  const consumer = await bench.consumer(
    async (delivery) => {
      runs += 1
      await held
      return echoResult(delivery)
    },
    { lockDurationMs: 15_000, stalledIntervalMs: 5000 },
  )
  consumer.run()
  const id = await bench.enqueue()
  await until(() => runs === 1)
  // Redis syncs its writes to the disk each second; the job must be there before the server stops.
  await sleep(1100)
  await bench.restartRedis(async () => {
    finish()
    await sleep(500)
  })
  expect(await producer.waitForResult(id)).toMatchObject({ status: 'success', attempt: 1 })
  expect(runs).toBe(1)
})

test.concurrent("a producer's call is refused during an outage of Redis, and the next one works", async () => {
  const producer = await bench.producer()
  const job = parseJob({ code: 'x' })
  await producer.enqueue([{ id: newJobId(), job }])
  await bench.restartRedis(async () => {
    await expect(producer.enqueue([{ id: newJobId(), job }])).rejects.toMatchObject({ code: 'unavailable' })
    await expect(producer.storedResult('j-x')).rejects.toThrow(/^Redis at .* is not available/)
  })
  await until(async () => {
    const enqueued = await producer.enqueue([{ id: newJobId(), job }]).catch(() => undefined)
    return enqueued?.[0] === 'enqueued'
  })
})

test.concurrent.each(['there', 'away', 'just dying'])(
  'a process that closes its connections while Redis is %s exits by itself',
  async (redis) => {
    const script = fileURLToPath(new URL('../fixtures/leaving-process.ts', import.meta.url))
    const child = spawn(process.execPath, [script, bench.url, bench.prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    const exited = once(child, 'exit')
    const leave = async () => {
      child.kill('SIGTERM')
      await until(() => said.includes('closed'), 'the child to close')
      await until(() => child.exitCode !== null, 'the child to end')
    }
    try {
      await until(() => said.includes('ready'), 'the child to be ready')
      if (redis === 'just dying') process.kill(bench.server.pid, 'SIGKILL')
      await (redis === 'there' ? leave() : bench.restartRedis(leave))
      expect(await exited).toEqual([0, null])
    } finally {
      child.kill('SIGKILL')
    }
  },
  scaled(60_000),
)

test.concurrent('all connections can be closed while Redis is unavailable', async () => {
  const producer = await bench.producer()
  collect(producer)
  const waiting = producer.waitForResult(await bench.enqueue())
  // Not an assertion yet: vitest would count it as one of whichever concurrent test ends first.
  const refusal = waiting.catch((error: unknown) => error)
  const consumer = await bench.consumer()
  await bench.restartRedis(async () => {
    consumer.run()
    const late = collect(producer, 'late')
    await Promise.all([consumer.close(), producer.close()])
    expect(await refusal).toMatchObject({ code: 'unavailable' })
    expect(late).toEqual([])
  })
})

test.concurrent('live events survive a restart of Redis: readers continue after their last event', {
  timeout: scaled(60_000),
}, async () => {
  const producer = await bench.producer()
  const { promise: held, resolve: finish } = Promise.withResolvers<void>()
  const consumer = await bench.consumer(
    async (delivery) => {
      delivery.live?.running()
      delivery.live?.output('stdout', Buffer.from('before\n'))
      await held
      delivery.live?.output('stdout', Buffer.from('after\n'))
      await sleep(100)
      return echoResult(delivery)
    },
    { lockDurationMs: 15_000, stalledIntervalMs: 5000 },
  )
  consumer.run()
  const id = await bench.enqueue({ stream: true })
  const reported: string[] = []
  const reading = (async () => {
    for await (const event of producer.events(id))
      reported.push(event.type === 'stdout' ? event.text : event.type)
  })()
  await until(() => reported.length === 2, 'the first events')
  // Redis syncs its writes to the disk each second.
  await sleep(1200)
  await bench.restartRedis(async () => finish())
  await reading
  expect(reported).toEqual(['status', 'before\n', 'after\n', 'finished'])
})
