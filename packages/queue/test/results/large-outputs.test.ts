import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inflateSync } from 'node:zlib'
import type { Result } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { Publisher } from '../../src/jobs/publisher.ts'
import { unexecutedJobResult } from '../../src/jobs/unexecuted-result.ts'
import { Keys } from '../../src/redis/keys.ts'
import { storeOutputs } from '../../src/results/large-outputs.ts'
import { sweepUntaken } from '../../src/results/untaken-results.ts'
import { collect, defined, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()
const KIB = 1024
/** Text of many characters of several bytes, so that pieces and the first part end inside of characters. */
const LARGE = 'é€𝄞 line\n'.repeat(200_000)
const BASE64 = Buffer.from('\u0000\u00ff'.repeat(200_000), 'latin1').toString('base64')

/** A worker whose results have these fields. */
async function workerWith(fields: Partial<Result>, options = {}) {
  const consumer = await bench.consumer(async (delivery) => ({ ...echoResult(delivery), ...fields }), options)
  consumer.run()
  return consumer
}

const FULL = {
  stdout: LARGE,
  stderr: `${LARGE}!`,
  compileOutput: `${LARGE}?`,
  raw: { stderr: BASE64 },
  files: {
    'small.txt': { content: 'eA==', encoding: 'base64' },
    'large.bin': { content: BASE64, encoding: 'base64' },
  },
  truncated: { stdout: false, stderr: true },
  warnings: ['a warning'],
} as const satisfies Partial<Result>

const storedAs = async (id: string) => JSON.parse(defined(await bench.redis.get(bench.key('result', id))))

// promise: large-outputs
test('large outputs are stored apart, and every reader of the result gets them whole', async () => {
  await workerWith(FULL)
  const producer = await bench.producer()
  const results = collect(producer, 'mine')
  const id = await bench.enqueue({ replyTo: 'mine' })
  const waited = await producer.waitForResult(id)
  expect(waited).toMatchObject(FULL)
  expect(waited).not.toHaveProperty('storedApart')
  expect(await producer.storedResult(id)).toEqual(waited)
  await until(() => results.length === 1)
  expect(results[0]).toEqual(waited)

  const stored = await storedAs(id)
  expect(JSON.stringify(stored).length).toBeLessThan(400 * KIB)
  expect(LARGE.startsWith(stored.stdout)).toBe(true)
  expect(Buffer.byteLength(stored.stdout)).toBeGreaterThan(64 * KIB - 4)
  expect(stored).toMatchObject({
    truncated: { stdout: true, stderr: true },
    files: { 'small.txt': FULL.files['small.txt'] },
    warnings: ['a warning', 'files: large ones are missing in this copy of the result'],
  })
  const bytes = await bench.redis.memory('USAGE', bench.key('outputs', id), 'SAMPLES', 0)
  expect(bytes).toBeLessThan(LARGE.length)
  expect(await bench.redis.ttl(bench.key('outputs', id))).toBeGreaterThan(86_000)
  expect(await bench.redis.keys(bench.key('outputs', '*'))).toEqual([bench.key('outputs', id)])
})

test('another program can read them: pieces of the text, each compressed by zlib', async () => {
  await workerWith({ stdout: LARGE })
  const id = await bench.enqueue({ replyTo: 'none' })
  await (await bench.producer()).waitForResult(id, { shortened: true })
  const { storedApart } = await storedAs(id)
  const pieces: Buffer[] = []
  for (let at = 0; at < storedApart.pieces.stdout; at++) {
    const piece = await bench.redis.hgetBuffer(bench.key('outputs', id), `stdout:${at}`)
    pieces.push(inflateSync(defined(piece)))
  }
  expect(Buffer.concat(pieces).toString()).toBe(LARGE)
  expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBe(512 * KIB)
})

test('a result of 64 KiB is stored whole, and a reader that asks for less gets the first part of a larger one', async () => {
  const inline = 'x'.repeat(64 * KIB)
  await workerWith({ stdout: inline, stderr: `${inline}y` })
  const producer = await bench.producer()
  const id = await bench.enqueue({ replyTo: 'none' })
  const shortened = await producer.waitForResult(id, { shortened: true })
  expect(shortened).toMatchObject({
    ...{ stdout: inline, stderr: inline, truncated: { stdout: false, stderr: true } },
    storedApart: { pieces: { stderr: 1 }, truncated: { stdout: false, stderr: false } },
  })
  expect(await producer.storedResult(id, { shortened: true })).toEqual(shortened)
  expect(await producer.storedResult(id)).toMatchObject({
    stderr: `${inline}y`,
    truncated: { stderr: false },
  })
})

// promise: large-outputs
test('outputs of an overtaken start replace none, and expire by themselves', async () => {
  const keys = new Keys(bench.prefix)
  const publisher = new Publisher(bench.redis, keys, 100)
  const publish = (stdout: string, attempt: number) => {
    const empty = unexecutedJobResult({
      id: 'j',
      status: 'cancelled',
      errorMessage: '',
      attempt,
      workerId: '',
    })
    const outgoing = { result: { ...empty, stdout }, attempt, replyTo: 'none' }
    return publisher.publishPersistently(outgoing, () => {}, new AbortController().signal)
  }
  await bench.redis.hset(keys.job('j'), 'ats', '2', 'data', '{}')
  expect(await publish(`old ${LARGE}`, 1)).toBe('fenced')
  expect(await bench.redis.keys(bench.key('outputs', '*'))).toEqual([])
  expect(await publish(LARGE, 2)).toBe('ok')
  // The connection broke before the reply: the same publication again.
  expect(await publish(LARGE, 2)).toBe('ok')
  await bench.redis.hset(keys.job('j'), 'ats', '3', 'data', '{}')
  expect(await publish(`new ${LARGE}`, 3)).toBe('duplicate')
  expect(await publish(`old ${LARGE}`, 1)).toBe('duplicate')
  expect(await (await bench.producer()).storedResult('j')).toMatchObject({ stdout: LARGE })
  expect(await bench.redis.keys(bench.key('outputs', '*'))).toEqual([keys.outputs('j')])

  // A worker that dies between the outputs and the publication leaves outputs that expire.
  const left = keys.outputs('k', 1)
  expect(await storeOutputs(bench.redis, left, new Map([['stdout', Buffer.from(LARGE)]]))).toBe(true)
  const ttl = await bench.redis.ttl(left)
  expect(ttl).toBeGreaterThan(3000)
  expect(ttl).toBeLessThanOrEqual(3600)
})

test('outputs expire with their result; if they are gone earlier, or damaged, the result is shortened and says so', async () => {
  await workerWith({ stdout: LARGE }, { resultTtlSeconds: 2 })
  const producer = await bench.producer()
  const [gone, damaged, foreign] = [
    await bench.enqueue({ replyTo: 'none' }),
    await bench.enqueue({ replyTo: 'none' }),
    await bench.enqueue({ replyTo: 'none' }),
  ]
  for (const id of [gone, damaged, foreign]) expect((await producer.waitForResult(id)).stdout).toBe(LARGE)
  await bench.redis.del(bench.key('outputs', gone))
  await bench.redis.hset(bench.key('outputs', damaged), 'stdout:1', 'no zlib')
  await bench.redis.del(bench.key('outputs', foreign))
  await bench.redis.set(bench.key('outputs', foreign), 'a text')
  for (const id of [gone, damaged, foreign]) {
    const result = defined(await producer.storedResult(id))
    expect(result).toMatchObject({ status: 'success', truncated: { stdout: true, stderr: false } })
    expect(LARGE.startsWith(result.stdout) && result.stdout.length > 1000).toBe(true)
  }
  await bench.redis.del(bench.key('outputs', foreign))
  await sleep(2500)
  expect(await bench.redis.keys(bench.key('outputs', '*'))).toEqual([])
})

test('outputs count as memory of untaken results, and go with them', async () => {
  const random = randomBytes(400_000)
  await workerWith({ stdout: random.toString('base64') })
  const producer = await bench.producer()
  const id = await bench.enqueue({ replyTo: 'unread' })
  await producer.waitForResult(id)
  await sweepUntaken(bench.redis, new Keys(bench.prefix))
  expect((await producer.stats()).untaken.bytes).toBeGreaterThan(400_000)
  expect(await sweepUntaken(bench.redis, new Keys(bench.prefix), { bytes: 350_000 })).toEqual({
    results: 0,
    bytes: 1,
  })
  expect(await bench.redis.keys(bench.key('outputs', '*'))).toEqual([])
  expect(await bench.redis.keys(bench.key('result', '*'))).toEqual([])
})
