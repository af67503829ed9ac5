import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

const REPLY_TO = 'cancelled'
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2' } })
})

afterAll(async () => {
  await world?.close()
})

// promise: cancel-many
// promise: list-waiting
it('of two batches that a worker runs, one is cancelled; each job has one result, and the other batch runs', async () => {
  const { client } = world
  const results: Result[] = []
  const consumer = client.results(async (result) => void results.push(result), { replyTo: REPLY_TO })
  const jobs = Array.from({ length: 200 }, (_, index): JobInput => {
    const batchId = index % 2 === 0 ? 'kept' : 'stopped'
    return {
      language: 'bash',
      code: 'echo ran',
      batchId,
      labels: { batch: batchId },
      reuse: 'batch',
      replyTo: REPLY_TO,
    }
  })
  const ids = await client.submitMany(jobs)
  const stopped = new Set(ids.filter((_, index) => index % 2 === 1))
  await eventually(
    async () => results.length,
    (count) => count >= 5,
  )
  const { cancelled, requested } = await client.cancelJobs({ labels: { batch: 'stopped' } })
  expect(cancelled).toBeGreaterThan(0)
  // Those that run, and those whose results are being published.
  expect(requested).toBeLessThanOrEqual(8)
  const left = await client.jobs({ batchId: 'stopped' })
  expect(left.jobs.every(({ state }) => state === 'running')).toBe(true)
  await eventually(
    async () => results.length,
    (count) => count >= ids.length,
    120_000,
  )
  await consumer.close()
  expect(results.map(({ id }) => id).sort()).toEqual([...ids].sort())
  const kept = results.filter(({ id }) => !stopped.has(id))
  expect(kept.every(({ status, stdout }) => status === 'success' && stdout === 'ran\n')).toBe(true)
  const ended = results.filter(({ status }) => status === 'cancelled')
  expect(ended.every(({ id }) => stopped.has(id))).toBe(true)
  expect(ended.length).toBeGreaterThanOrEqual(cancelled)
  expect(ended.length).toBeLessThanOrEqual(cancelled + requested)
  expect((await client.jobs({ replyTo: REPLY_TO })).jobs).toEqual([])
})
