import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseJob, RetryableError } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { JobInterrupted, newJobId, openProducer, type Producer } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()
const TTL_SECONDS = 1

/** A row of the README's table of keys. */
interface Row {
  readonly keys: readonly RegExp[]
  readonly end: string
}

/** The table of keys, with the prefix of this test. */
function keyTable(): Row[] {
  const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8')
  const table = readme.slice(readme.indexOf('## Keys')).split('\n')
  return table.flatMap((line) => {
    const [, names = '', , end = ''] = line.split('|').map((cell) => cell.trim())
    const keys = [...names.matchAll(/`\{isopod\}(:[^`]+)`/g)].map(([, rest = '']) => pattern(rest))
    return keys.length === 0 ? [] : [{ keys, end }]
  })
}

/** `<id>` stands for one part of a key, `*` for the rest. */
function pattern(rest: string): RegExp {
  const body = rest.replaceAll(/[.\\]/g, '\\$&').replaceAll(/<\w+>/g, '[^:]+').replaceAll('*', '.+')
  return new RegExp(`^\\{${bench.prefix}\\}${body}$`)
}

/** Who deletes a key, and when; undefined if the table does not have it. */
function endOf(key: string): string | undefined {
  return keyTable().find(({ keys }) => keys.some((one) => one.test(key)))?.end
}

async function allKeys(): Promise<string[]> {
  return (await bench.redis.keys(bench.key('*'))).sort()
}

/** Jobs with all features that make keys. */
async function submitJobs(producer: Producer): Promise<string[]> {
  const jobs = [
    { code: 'plain' },
    { code: 'unread', replyTo: 'unread' },
    { code: 'none', replyTo: 'none' },
    { code: 'stream', stream: true },
    { code: 'webhook', callbackUrl: 'https://example.org/hook' },
    { code: 'priority', priority: 3 },
    { code: 'fault' },
    { code: 'large' },
    { code: 'requeue' },
  ]
  const entries = jobs.map((job) => ({ id: newJobId(), job: parseJob(job) }))
  const keyed = { id: 'k-1', job: parseJob({ code: 'keyed' }), fingerprint: 'f' }
  await producer.enqueue([...entries, keyed])
  return [...entries, keyed].map(({ id }) => id)
}

// promise: keyspace
test('each key is in the table of the README, and only the permanent ones stay without a time to live', async () => {
  const options = { url: bench.url, prefix: bench.prefix, resultTtlSeconds: TTL_SECONDS }
  expect(await allKeys()).toEqual([])
  const worker = await bench.consumer(
    async (delivery) => {
      delivery.live?.output('stdout', Buffer.from('x'))
      if (delivery.attempt === 1 && delivery.job.code === 'fault') throw new RetryableError('once')
      if (delivery.attempt === 1 && delivery.job.code === 'requeue') throw new JobInterrupted('shutdown')
      const stdout = delivery.job.code === 'large' ? 'x'.repeat(100_000) : delivery.job.code
      return { ...echoResult(delivery), stdout }
    },
    { resultTtlSeconds: TTL_SECONDS, auditStreamLength: 10 },
  )
  const producer = await openProducer(options)
  worker.run()
  await worker.registerCatalogue([{ name: 'python', version: '3', aliases: [] }])
  worker.audit({ event: 'started', job: 'j', json: () => '{}' })
  const entry = await worker.cache.enter('c0ffee')
  if (entry.type === 'flight') {
    const job = parseJob({ code: 'x' })
    const delivery = { id: 'j', job, attempt: 1, enqueuedAt: 0, takenAt: 0, stalls: 0, faults: 0 }
    await entry.flight.commit(echoResult(delivery), TTL_SECONDS)
  }
  const batch = await producer.takeBatch({
    ...{ id: 'b', rules: '', ttlSeconds: TTL_SECONDS },
    signal: new AbortController().signal,
  })
  await batch.record('s', { outcome: 'passed', retries: 0, fingerprint: '', jobId: 'j' })
  const results = collect(producer)
  const silent = producer.results('silent', async () => {})
  const ids = await submitJobs(producer)
  const seen = new Set<string>()
  await until(async () => {
    for (const key of await allKeys()) seen.add(key)
    return results.length === ids.length - 2
  })
  // Killed, not closed: its number of slots stays.
  await bench.redis.hset(bench.key('slots'), 'killed', '4')
  for (const key of await allKeys()) seen.add(key)
  expect([...seen].filter((key) => endOf(key) === undefined)).toEqual([])

  await silent.close()
  await batch.release()
  await producer.close()
  await worker.close()
  await sleep(TTL_SECONDS * 1000 + 500)
  const sweeper = await bench.consumer(undefined, { workerId: 'w2', resultTtlSeconds: TTL_SECONDS })
  sweeper.run()
  const lasting = async () => {
    const keys = await allKeys()
    const ends = await Promise.all(keys.map((key) => bench.redis.pttl(key)))
    return keys.filter((_, at) => ends[at] === -1)
  }
  const swept = [bench.key('reply-queues'), bench.key('untaken')]
  await until(async () => (await bench.redis.exists(...swept)) === 0, 'the sweeps')
  await sweeper.close()
  const left = await lasting()
  expect(left.filter((key) => !endOf(key)?.startsWith('permanent'))).toEqual([])
  // Each of the others says that it expires.
  expect((await allKeys()).filter((key) => !left.includes(key) && !endOf(key)?.includes('expires'))).toEqual(
    [],
  )
})

test('a results queue stays as long as it is paused, has a result, or was used within the time to live', async () => {
  const worker = await bench.consumer(undefined, { resultTtlSeconds: 100 })
  worker.run()
  const producer = await bench.producer()
  const names = ['paused', 'full', 'young', 'old']
  for (const replyTo of names) {
    await producer.waitForResult(await bench.enqueue({ replyTo }))
    if (replyTo !== 'full') await bench.redis.del(bench.key(`results-${replyTo}:wait`))
    if (replyTo !== 'young') await bench.redis.zadd(bench.key('reply-queues'), 1, replyTo)
  }
  await bench.redis.hset(bench.key('results-paused:meta'), 'paused', '1')
  await bench.redis.hset(bench.key('results-old:meta'), 'opts.maxLenEvents', '10000')
  const late = await bench.consumer(undefined, { workerId: 'w2', resultTtlSeconds: 100 })
  await worker.close()
  late.run()
  await until(async () => (await bench.redis.zscore(bench.key('reply-queues'), 'old')) === null, 'the sweep')
  expect(await bench.redis.exists(bench.key('results-old:meta'))).toBe(0)
  expect(await bench.redis.zrange(bench.key('reply-queues'), '0', '-1')).toEqual(['full', 'paused', 'young'])
})
