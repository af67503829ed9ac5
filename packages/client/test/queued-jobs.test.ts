import type { JobInput, Result } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { newJobId } from '../src/index.ts'
import { until, useBench } from './harness.ts'

const bench = useBench()

// promise: cancel-many
test('cancelJobs cancels the jobs that agree with each of its fields, and counts them', async () => {
  const client = await bench.client()
  const job = (changes: Partial<JobInput>): JobInput => ({ code: 'x', ...changes })
  const [a] = await client.submitMany([
    job({ batchId: 'run-7', labels: { model: 'small' } }),
    job({ batchId: 'run-7', labels: { model: 'large' } }),
    job({ batchId: 'run-8', labels: { model: 'small' }, replyTo: 'grades' }),
  ])
  expect(await client.cancelJobs({ batchId: 'run-7', labels: { model: 'small' } })).toEqual({
    cancelled: 1,
    requested: 0,
  })
  expect(await client.result(a ?? '')).toMatchObject({ status: 'cancelled', batchId: 'run-7' })
  expect(await client.cancelJobs({ replyTo: 'grades' })).toEqual({ cancelled: 1, requested: 0 })
  expect((await client.jobs()).jobs).toHaveLength(1)
})

test('cancelJobs refuses a filter without fields, which would mean all jobs, and fields that cannot match', async () => {
  const client = await bench.client()
  await client.submit({ code: 'x' })
  const refused: [unknown, RegExp][] = [
    [{}, /^cancelJobs: needs at least one of batchId, labels, replyTo and tenant$/],
    [{ batchId: undefined, labels: {} }, /^cancelJobs: needs/],
    [{ batch: 'a' }, /^batch: unknown option/],
    [{ batchId: 7 }, /^batchId: must be text/],
    [{ replyTo: '' }, /^replyTo: must be text/],
    [{ labels: { a: 1 } }, /^labels\.a: must be text, got 1$/],
    [{ labels: ['a'] }, /^labels: must be an object/],
    [null, /^options: must be an object/],
  ]
  for (const [filter, message] of refused) {
    await expect(client.cancelJobs(filter as { batchId: string })).rejects.toThrow(message)
  }
  expect((await client.jobs()).jobs).toHaveLength(1)
})

// promise: list-waiting
test('jobs lists what runs and what waits, page by page', async () => {
  const client = await bench.client()
  const ids = await client.submitMany(
    Array.from({ length: 3 }, (_, index) => ({ code: 'x', batchId: 'run-7', labels: { n: `${index}` } })),
  )
  const other = await client.submit({ code: 'x', language: 'bash', tenant: 'acme' })
  const first = await client.jobs({ limit: 2, batchId: 'run-7' })
  const { jobs, cursor } = await client.jobs({ limit: 2, batchId: 'run-7', cursor: first.cursor })
  expect([...first.jobs, ...jobs].map(({ id }) => id)).toEqual(ids)
  expect(cursor).toBeUndefined()
  expect(first.jobs[0]).toEqual({
    ...{ id: ids[0], state: 'waiting', turn: expect.any(Number), submittedAt: expect.any(Number) },
    ...{ language: 'python', tenant: 'default', batchId: 'run-7', labels: { n: '0' }, replyTo: 'default' },
  })
  expect((await client.jobs({ tenant: 'acme' })).jobs).toMatchObject([{ id: other, language: 'bash' }])
  await expect(client.jobs({ limit: 0 })).rejects.toThrow(
    'limit: must be a whole number from 1 to 1000, got 0',
  )
  await expect(client.jobs({ cursor: 'x' })).rejects.toThrow(/^cursor: must be/)
})

// promise: ids-first
test('a caller that makes the ids knows each of them before its result comes', async () => {
  const client = await bench.client()
  await bench.worker()
  const expected = new Set<string>()
  const strangers: string[] = []
  const results: Result[] = []
  client.results(async (result) => {
    if (!expected.has(result.id)) strangers.push(result.id)
    results.push(result)
  })
  for (let round = 0; round < 20; round++) {
    const id = newJobId()
    expected.add(id)
    expect(await client.submit({ code: 'x' }, { id })).toBe(id)
    const ids = [newJobId(), newJobId()]
    for (const one of ids) expected.add(one)
    expect(await client.submitMany([{ code: 'x' }, { code: 'y' }], { ids })).toEqual(ids)
  }
  await until(() => results.length === expected.size)
  expect(strangers).toEqual([])
})

// promise: ids-first
test('results wait in their queue until the caller that has the ids consumes them', async () => {
  const client = await bench.client()
  await bench.worker()
  const ids = await client.submitMany(Array.from({ length: 5 }, () => ({ code: 'x', replyTo: 'mine' })))
  for (const id of ids) await client.wait(id)
  const seen: string[] = []
  client.results(async ({ id }) => void seen.push(id), { replyTo: 'mine' })
  await until(() => seen.length === ids.length)
  expect(seen.sort()).toEqual([...ids].sort())
})

test('ids that other jobs can have are refused, and nothing is enqueued', async () => {
  const client = await bench.client()
  const id = newJobId()
  const job = { code: 'x' }
  await expect(client.submit(job, { id: 'order-7' })).rejects.toThrow(/^id: must be an id from newJobId\(\)/)
  await expect(client.submit({ ...job, idempotencyKey: 'k' }, { id })).rejects.toThrow(/^id: goes with no/)
  for (const ids of [[id], [id, id], 'ab']) {
    const submitted = client.submitMany([job, job], { ids: ids as string[] })
    await expect(submitted).rejects.toThrow(/^ids: must be a list of 2 different ids/)
  }
  await expect(client.submitMany([job, job], { ids: [id, 'b'] })).rejects.toThrow(/^id: must be/)
  expect(await bench.keys()).toEqual([])
})
