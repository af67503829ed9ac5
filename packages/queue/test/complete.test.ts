import { type JobsOptions, Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'
import { Keys } from '../src/keys.ts'
import { Publisher } from '../src/publisher.ts'
import { unrunResult } from '../src/unrun-result.ts'
import { useBench } from './harness.ts'

const bench = useBench()
const closers: (() => unknown)[] = []
const LOCK_MS = 15_000

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A queue of jobs of which the first was taken, as BullMQ leaves it. */
async function openQueue(prefix: string) {
  const connection = new Redis({ path: bench.url.replace('redis+unix://', ''), maxRetriesPerRequest: null })
  const options = { connection, prefix: `{${prefix}}` }
  const queue = new Queue('jobs', options)
  const worker = new Worker('jobs', null, { ...options, name: 'w1', lockDuration: LOCK_MS, autorun: false })
  closers.push(
    () => worker.close(),
    () => queue.close(),
    () => connection.disconnect(),
  )
  await worker.waitUntilReady()
  const add = (id: string, more: JobsOptions = {}) =>
    queue.add('execute', { id }, { jobId: id, removeOnComplete: true, ...more })
  return { connection, queue, worker, add }
}

type OpenQueue = Awaited<ReturnType<typeof openQueue>>

/** Everything that Redis keeps of the queue, without what differs from one moment to the next. */
async function contents(prefix: string): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  const keys = await Promise.all(['jobs', 'parents'].map((name) => bench.redis.keys(`{${prefix}}:${name}:*`)))
  for (const key of keys.flat().sort()) {
    all[key] = await keptAt(key)
  }
  return JSON.parse(JSON.stringify(all).replaceAll(`{${prefix}}`, ''))
}

function withoutMoment(field: string): string {
  return field.replace(/^\d{13}$/, 'a moment')
}

async function keptAt(key: string): Promise<unknown> {
  const { redis } = bench
  switch (await redis.type(key)) {
    case 'hash': {
      const { timestamp: _, processedOn, ...fields } = await redis.hgetall(key)
      return { ...fields, ran: processedOn !== undefined }
    }
    case 'list':
      return await redis.lrange(key, 0, -1)
    case 'set':
      return (await redis.smembers(key)).sort()
    case 'zset':
      return await redis.zrange(key, '0', '-1')
    case 'stream':
      return (await redis.xrange(key, '-', '+')).map(([, fields]) => fields.map(withoutMoment))
    default:
      return await redis.get(key)
  }
}

interface Scenario {
  /** Of the job that is completed. */
  readonly options?: JobsOptions
  readonly goesOn?: boolean
  /** What is done before the first job is taken, and after it. */
  readonly before?: (queue: OpenQueue) => Promise<unknown>
  readonly after?: (queue: OpenQueue, prefix: string) => Promise<unknown>
}

const SCENARIOS: readonly (readonly [string, Scenario])[] = [
  ['others wait', { before: ({ add }) => add('b').then(() => add('c')) }],
  ['no other waits', {}],
  ['another runs', { before: ({ add }) => add('b'), after: ({ worker }) => worker.getNextJob('t2') }],
  ['the slot does not go on', { goesOn: false, before: ({ add }) => add('b') }],
  ['it had stalled', { after: (_, prefix) => bench.redis.sadd(`{${prefix}}:jobs:stalled`, 'a', 'z') }],
  ['it has logs', { after: ({ queue }) => queue.addJobLog('a', 'a line') }],
  ['others have priorities', { before: ({ add }) => add('b', { priority: 3 }) }],
  ['others are put off', { before: ({ add }) => add('b', { delay: 60_000 }) }],
  [
    'the time of others has come',
    {
      before: ({ add }) => add('b', { delay: 60_000 }),
      after: (_, prefix) => bench.redis.zadd(`{${prefix}}:jobs:delayed`, 1, 'b'),
    },
  ],
  ['the queue is paused', { before: ({ add }) => add('b'), after: ({ queue }) => queue.pause() }],
  [
    'the queue has a limit of its own',
    {
      before: ({ add }) => add('b'),
      after: ({ queue }) => queue.setGlobalConcurrency(1),
    },
  ],
]

// BullMQ itself is what these answers are compared with.
test.each(SCENARIOS)('a job is completed as BullMQ completes it: %s', async (_, scenario) => {
  const [mine, theirs] = [`${bench.prefix}-mine`, `${bench.prefix}-theirs`]
  const { goesOn = true } = scenario
  const prepared = async (prefix: string) => {
    const queue = await openQueue(prefix)
    await queue.add('a', scenario.options)
    await scenario.before?.(queue)
    const job = await queue.worker.getNextJob('t1')
    if (job?.id !== 'a') throw new Error(`took ${job?.id}`)
    await scenario.after?.(queue, prefix)
    return { ...queue, job }
  }
  const bull = await prepared(theirs)
  const answer = await bull.job.moveToCompleted(null, 't1', goesOn)

  const own = await prepared(mine)
  const publisher = new Publisher(own.connection, new Keys(mine), own.queue, 100)
  const result = unrunResult({ id: 'a', status: 'setup_error', errorMessage: '', attempt: 1, workerId: 'w1' })
  const published = await publisher.publishPatiently(
    { result, attempt: 1, replyTo: 'x' },
    (error) => {
      throw error
    },
    new AbortController().signal,
    () => ({ token: 't1', lockMs: LOCK_MS, worker: 'w1', goesOn }),
  )
  expect(published.publication).toBe('ok')
  expect(await contents(mine)).toEqual(await contents(theirs))
  expect(published.completion?.next?.[1]).toEqual(answer?.[1])
  for (const prefix of [mine, theirs]) {
    const ttl = await bench.redis.pttl(`{${prefix}}:jobs:b:lock`)
    if (answer?.[1] === 'b') expect(ttl).toBeGreaterThan(LOCK_MS - 2_000)
  }
})

test.each([
  ['is another’s', 'other'],
  ['has run out', undefined],
])('a job whose lock %s is not completed', async (_, holder) => {
  const { connection, queue, worker, add } = await openQueue(bench.prefix)
  await add('a')
  await worker.getNextJob('t1')
  if (holder === undefined) await bench.redis.del(bench.key('jobs', 'a', 'lock'))
  else await bench.redis.set(bench.key('jobs', 'a', 'lock'), holder)
  const publisher = new Publisher(connection, new Keys(bench.prefix), queue, 100)
  const result = unrunResult({ id: 'a', status: 'setup_error', errorMessage: '', attempt: 1, workerId: 'w1' })
  const { completion, publication } = await publisher.publishPatiently(
    { result, attempt: 1, replyTo: 'x' },
    () => {},
    new AbortController().signal,
    () => ({ token: 't1', lockMs: LOCK_MS, worker: 'w1', goesOn: true }),
  )
  expect([publication, completion]).toEqual(['ok', undefined])
  expect(await bench.redis.lrange(bench.key('jobs', 'active'), 0, -1)).toEqual(['a'])
})
