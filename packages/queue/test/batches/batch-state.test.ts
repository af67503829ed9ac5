import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRecord, encodeRecord, type SampleRecord } from '../../src/batches/sample-record.ts'
import { useBench } from '../harness.ts'

const bench = useBench()
const forever = new AbortController().signal
const OPTIONS = { id: 'b', rules: 'never', ttlSeconds: 100, signal: forever }
const RECORD: SampleRecord = { outcome: 'passed', retries: 0, fingerprint: '0123abcd', jobId: 'k-1' }

test.concurrent('the next producer of a batch reads its records, which expire', async () => {
  const one = await (await bench.producer()).takeBatch(OPTIONS)
  expect([one.known, one.delivered]).toEqual([0, false])
  await one.record('s 1', RECORD)
  await one.record('s:2', { ...RECORD, outcome: 'fault', retries: 2 })
  await one.record('s:2', { ...RECORD, outcome: 'failed', retries: 3 })
  await one.noteDelivered()
  await one.release()
  const other = await (await bench.producer()).takeBatch(OPTIONS)
  expect([other.known, other.delivered]).toEqual([2, true])
  expect(await other.read('s 1')).toEqual(RECORD)
  expect(await other.read('s:2')).toEqual({ ...RECORD, outcome: 'failed', retries: 3 })
  expect(await other.read('s 3')).toBeUndefined()
  expect((await other.samples()).sort()).toEqual(['s 1', 's:2'])
  for (const part of ['state', 'samples']) {
    const left = await bench.redis.ttl(bench.key('batch:b', part))
    expect([left > 90, left <= 100]).toEqual([true, true])
  }
  await other.release()
  expect(await bench.redis.exists(bench.key('batch:b:lease'))).toBe(0)
})

test.concurrent('takeBatch waits for the batch of a dead producer, and is refused that of a live one', async () => {
  const one = await (await bench.producer()).takeBatch(OPTIONS)
  const second = await bench.producer()
  await expect(second.takeBatch(OPTIONS)).rejects.toMatchObject({ code: 'batch_busy' })
  const controller = new AbortController()
  const waiting = second.takeBatch({ ...OPTIONS, signal: controller.signal })
  controller.abort(new Error('no time'))
  await expect(waiting).rejects.toThrow('no time')
  await one.release()
  // As after a killed producer.
  await bench.redis.set(bench.key('batch:b:lease'), 'the dead', 'PX', 1500)
  await bench.redis.set(bench.key('nearly-as-long'), '', 'PX', 1400)
  await (await second.takeBatch(OPTIONS)).release()
  expect(await bench.redis.exists(bench.key('nearly-as-long'))).toBe(0)
})

test.concurrent('an overtaken producer can no longer change the batch', async () => {
  const sleeper = await (await bench.producer()).takeBatch(OPTIONS)
  await bench.redis.del(bench.key('batch:b:lease'))
  // No other producer came, so it continues.
  await sleeper.record('a', RECORD)
  await bench.redis.del(bench.key('batch:b:lease'))
  const other = await (await bench.producer()).takeBatch(OPTIONS)
  await other.record('b', RECORD)
  await expect(sleeper.record('b', { ...RECORD, outcome: 'fault' })).rejects.toMatchObject({
    code: 'batch_busy',
  })
  await expect(sleeper.noteDelivered()).rejects.toMatchObject({ code: 'batch_busy' })
  expect(sleeper.lost.reason).toMatchObject({ code: 'batch_busy' })
  expect(await other.read('b')).toEqual(RECORD)
  await sleeper.release()
  expect(await bench.redis.exists(bench.key('batch:b:lease'))).toBe(1)
  await other.release()
})

test.concurrent('an idle producer notices that it was overtaken', async () => {
  const one = await (await bench.producer()).takeBatch(OPTIONS)
  await bench.redis.del(bench.key('batch:b:lease'))
  const other = await (await bench.producer()).takeBatch(OPTIONS)
  for (let wait = 0; wait < 50 && !one.lost.aborted; wait++) await sleep(100)
  expect(one.lost.aborted).toBe(true)
  expect(other.lost.aborted).toBe(false)
  await other.release()
})

test.concurrent('a batch that was started with other rules is refused', async () => {
  const producer = await bench.producer()
  await (await producer.takeBatch(OPTIONS)).release()
  await expect(producer.takeBatch({ ...OPTIONS, rules: 'passed' })).rejects.toMatchObject({
    code: 'batch_conflict',
    message: 'stopWhen: the batch b was started with never, got passed',
  })
})

test.concurrent('a record is read as it was written, in less than a hundred characters; anything else is refused', () => {
  const record = fc.record({
    outcome: fc.constantFrom('passed', 'failed', 'judge_error', 'fault'),
    retries: fc.nat({ max: 1000 }),
    fingerprint: fc.stringMatching(/^[0-9a-f]{32}$/),
    jobId: fc.stringMatching(/^[A-Za-z0-9_-]{0,42}$/),
  })
  fc.assert(
    fc.property(record, (given) => {
      expect(decodeRecord(encodeRecord(given))).toEqual(given)
      expect(encodeRecord(given).length).toBeLessThan(100)
    }),
  )
  for (const text of ['', 'p', 'q0:ab:c', 'p0:XY:c', 'p-1:ab:c', 'p0:ab:c d', 'p0:ab']) {
    expect(() => decodeRecord(text)).toThrow(/not the record of a sample/)
  }
})
