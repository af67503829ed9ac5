import type { JobEvent, JobInput } from '@isopod/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redisCli, redisKeys } from '../support/redis.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ workers: 2, env: { ISOPOD_POOL_SIZE: '1', ISOPOD_SLOTS: '2' } })
})
afterAll(() => world.close())

async function all(id: string, after?: string): Promise<JobEvent[]> {
  const events: JobEvent[] = []
  for await (const event of world.client.events(id, after === undefined ? {} : { after })) events.push(event)
  return events
}

async function eventsOf(job: JobInput): Promise<JobEvent[]> {
  return await all(await world.client.submit({ ...job, stream: true }))
}

/** The whole output of one stream, put together from the events. */
function output(events: readonly JobEvent[], stream: 'stdout' | 'stderr'): Buffer {
  return Buffer.concat(
    events.flatMap((event) => {
      if (event.type !== stream) return []
      return event.raw === undefined ? Buffer.from(event.text) : Buffer.from(event.raw, 'base64')
    }),
  )
}

const types = (events: readonly JobEvent[]) => events.map(({ type }) => type)

// promise: live-output
it.concurrent('output arrives while the program runs, in order, and a reader can resume after any event', async () => {
  const code = 'echo first; sleep 1.5; echo second >&2; sleep 0.3; echo third'
  const id = await world.client.submit({ language: 'bash', code, stream: true })
  const seen: JobEvent[] = []
  for await (const event of world.client.events(id)) {
    seen.push(event)
    if (event.type === 'stdout' && event.text === 'first\n') {
      expect(await world.client.result(id)).toBeUndefined()
    }
  }
  expect(seen.map(({ id: _, ...event }) => event)).toEqual([
    { type: 'status', status: 'running', attempt: 1 },
    { type: 'stdout', text: 'first\n' },
    { type: 'stderr', text: 'second\n' },
    { type: 'stdout', text: 'third\n' },
    { type: 'finished', status: 'success' },
  ])
  expect(await all(id, seen[1]?.id)).toEqual(seen.slice(2))
  expect(await all(id, seen.at(-1)?.id)).toEqual([])
})

// promise: live-output
it.concurrent('events carry no more output than the result, and no part of a character that the limit cut', async () => {
  const limits = { outputBytes: 1000, onOverflow: 'truncate' } as const
  const code =
    'import sys\nfor _ in range(3000):\n  print("€", end="", flush=True)\nprint("x" * 5000, file=sys.stderr)'
  const id = await world.client.submit({ language: 'python', code, limits, stream: true })
  const events = await all(id)
  const { stdout, stderr, truncated } = await world.client.wait(id)
  expect(truncated).toEqual({ stdout: true, stderr: true })
  expect(output(events, 'stdout').toString()).toBe(stdout)
  expect(output(events, 'stderr').toString()).toBe(stderr)
  expect(stdout).toBe('€'.repeat(333))
})

it.concurrent('characters that are split between two reads arrive complete, and bytes that are not UTF-8 arrive unchanged', async () => {
  const code = `import os, time
for byte in "ä€".encode():
  os.write(1, bytes([byte]))
  time.sleep(0.03)
os.write(2, bytes([0xff, 0xfe, 27]))`
  const events = await eventsOf({ language: 'python', code })
  expect(events.some((event) => event.type === 'stdout' && event.raw !== undefined)).toBe(false)
  expect(output(events, 'stdout').toString()).toBe('ä€')
  expect(output(events, 'stderr')).toEqual(Buffer.from([0xff, 0xfe, 27]))
})

it.concurrent('verdicts arrive as they are decided, and those of skipped tests at the end', async () => {
  const tests = [
    { stdin: '1', expected: '1' },
    { stdin: '2', expected: '2' },
    { stdin: '3', expected: 'no', name: 'third' },
    { stdin: '4', expected: '4' },
  ]
  const job: JobInput = { language: 'bash', code: 'sleep 0.5; cat', tests, stopOnFirstFailure: true }
  const id = await world.client.submit({ ...job, stream: true })
  const events: JobEvent[] = []
  for await (const event of world.client.events(id)) {
    events.push(event)
    if (event.type === 'test' && event.index < 2) expect(await world.client.result(id)).toBeUndefined()
  }
  expect(events.slice(0, -1).map(({ id: _, ...event }) => event)).toEqual([
    { type: 'status', status: 'running', attempt: 1 },
    { type: 'test', index: 0, name: '1', verdict: 'passed' },
    { type: 'test', index: 1, name: '2', verdict: 'passed' },
    { type: 'test', index: 2, name: 'third', verdict: 'wrong_answer' },
    { type: 'test', index: 3, name: '4', verdict: 'skipped' },
  ])
})

it.concurrent('verdicts of scripts arrive, too', async () => {
  const tests = [{ script: 'assert f(1) == 1' }, { script: 'assert f(1) == 2' }]
  const events = await eventsOf({ language: 'python', code: 'def f(n): return n', tests })
  expect(types(events)).toEqual(['status', 'test', 'test', 'finished'])
  expect(events.slice(1, 3)).toMatchObject([{ verdict: 'passed' }, { verdict: 'wrong_answer' }])
})

// promise: live-output
it.concurrent('another attempt is announced by an event, and replaces the events of the first one', async () => {
  const own = await startWorld({ env: { ISOPOD_POOL_SIZE: '0', ISOPOD_DRAIN_SECONDS: '0' } })
  try {
    const id = await own.client.submit({
      language: 'bash',
      code: 'echo begun; sleep 2; echo over',
      stream: true,
    })
    const seen: JobEvent[] = []
    for await (const event of own.client.events(id)) {
      seen.push(event)
      if (event.type !== 'stdout' || own.workers.length > 1) continue
      // The stopped worker requeues the job, and the new worker takes it.
      await own.workers[0]?.stop()
      await own.addWorker()
    }
    const attempts = seen.flatMap((event) => (event.type === 'status' ? event.attempt : []))
    // The stopping worker may take its own job once more, and requeue it before it starts it.
    expect([
      [1, 2],
      [1, 3],
    ]).toContainEqual(attempts)
    const late: JobEvent[] = []
    for await (const event of own.client.events(id)) late.push(event)
    expect(late[0]).toMatchObject({ type: 'status', attempt: attempts.at(-1) })
    expect(output(late, 'stdout').toString()).toBe('begun\nover\n')
    expect(late).toEqual(seen.slice(-late.length))
  } finally {
    await own.close()
  }
})

// promise: live-output
it.concurrent('readers that do not read do not slow down the program', async () => {
  const code = 'for n in range(40):\n  print("x" * 50_000, flush=True)'
  const id = await world.client.submit({ language: 'python', code, stream: true })
  const lazy = Array.from({ length: 20 }, () => world.client.events(id)[Symbol.asyncIterator]())
  for (const reader of lazy) expect((await reader.next()).value).toMatchObject({ type: 'status' })
  const result = await world.client.wait(id)
  expect([result.status, result.outputBytes.stdout]).toEqual(['success', 40 * 50_001])
  for (const reader of lazy) await reader.return?.()
})

// promise: live-output
it('a listener of client.run gets events without `stream` in the job, and cancels the job by throwing', async () => {
  const seen: JobEvent[] = []
  const job = { language: 'bash', code: 'echo one; sleep 0.3; echo two' }
  const result = await world.client.run(job, {
    onEvent: async (event) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      seen.push(event)
    },
  })
  expect(result.stdout).toBe('one\ntwo\n')
  expect(types(seen)).toEqual(['status', 'stdout', 'stdout', 'finished'])
  const seenFirst: JobEvent[] = []
  const failing = world.client.run(
    { language: 'bash', code: 'echo one; sleep 60', labels: { of: 'listener' } },
    {
      onEvent: (event) => {
        seenFirst.push(event)
        if (event.type === 'stdout') throw new Error('enough')
      },
    },
  )
  await expect(failing).rejects.toThrow('enough')
  expect(types(seenFirst)).toEqual(['status', 'stdout'])
  await expect.poll(async () => (await world.client.queue()).active, { timeout: scaled(10_000) }).toBe(0)
})

// promise: live-output
it('a job without events leaves no stream in Redis, and every stream expires minutes after its job', async () => {
  const id = await world.client.submit({ language: 'bash', code: 'echo quiet' })
  expect(types(await all(id))).toEqual(['finished'])
  const streams = await redisKeys(world.redisUrl, `{${world.prefix}}:events:*`)
  expect(streams.length).toBeGreaterThan(4)
  expect(streams).not.toContain(`{${world.prefix}}:events:${id}`)
  for (const key of streams) {
    const [seconds] = await redisCli(world.redisUrl, 'TTL', key)
    expect(Number(seconds)).toBeGreaterThan(0)
    expect(Number(seconds)).toBeLessThanOrEqual(600)
  }
})
