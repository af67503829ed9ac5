import { RetryableError } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { echo, until, useBench } from './harness.ts'

const bench = useBench()

test('state distinguishes waiting, running, finished and unknown', async () => {
  const client = await bench.client()
  const id = await client.submit({ code: 'x' })
  const last = await client.submit({ code: 'y', priority: 7 })
  expect([await client.state(id), await client.state(last)]).toEqual(['waiting', 'waiting'])
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await bench.worker(async (delivery) => {
    await released
    return echo(delivery)
  }, 1)
  await until(async () => (await client.state(id)) === 'running')
  expect(await client.state(last)).toBe('waiting')
  release()
  await client.wait(id)
  expect(await client.state(id)).toBe('finished')
  expect(await client.state('j-nope')).toBe('unknown')
  expect(await client.state('no id:*')).toBe('unknown')
})

test('a job between two attempts is waiting, and a cancelled job is finished', async () => {
  const client = await bench.client()
  const id = await client.submit({ code: 'x' })
  expect(await client.cancel(id)).toBe('cancelled')
  expect(await client.state(id)).toBe('finished')
  let tries = 0
  await bench.worker(async (delivery) => {
    tries += 1
    if (tries === 1) throw new RetryableError('the engine is unavailable')
    return echo(delivery)
  })
  const retried = await client.submit({ code: 'y' })
  await until(() => tries === 1)
  const seen = new Set<string>()
  await until(async () => {
    const state = await client.state(retried)
    seen.add(state)
    return state === 'finished'
  })
  expect(seen).toContain('waiting')
  expect(seen).not.toContain('unknown')
})
