import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ workers: 2, env: { ISOPOD_SLOTS: '2', ISOPOD_POOL_SIZE: '1' } })
})
afterAll(() => world.close())

/** A program that prints random bytes, so equal outputs show that it ran only once. */
const DICE: JobInput = { language: 'bash', code: 'head -c 8 /dev/urandom | od -An -tx1; cat', cache: true }

// promise: result-cache
it('of equal jobs with `cache` only one runs; the others are marked as cached, whichever worker takes them', async () => {
  const results = await Promise.all(Array.from({ length: 12 }, () => world.client.run(DICE)))
  const [ran, ...others] = results.filter(({ cached }) => cached === undefined)
  expect(others).toEqual([])
  expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1)
  const hits = results.filter(({ cached }) => cached)
  expect(hits.map(({ cachedFrom }) => cachedFrom)).toEqual(hits.map(() => ran?.id))
  expect(new Set(results.map(({ id }) => id)).size).toBe(12)
})

// promise: result-cache
it('jobs that wait for another one’s result hold no slot', async () => {
  const endless: JobInput = { ...DICE, code: 'sleep 300', limits: { timeoutSeconds: 300 } }
  // Twice as many jobs as there are slots.
  const ids = await world.client.submitMany(Array.from({ length: 8 }, () => endless))
  expect(await world.client.run({ language: 'bash', code: 'echo other' })).toMatchObject({
    stdout: 'other\n',
  })
  expect(await Promise.all(ids.map((id) => world.client.result(id)))).toEqual(ids.map(() => undefined))
  await Promise.all(ids.map((id) => world.client.cancel(id)))
  for (const id of ids) expect((await world.client.wait(id)).status).toBe('cancelled')
})

// promise: result-cache
it('a job with another stdin, tenant or limit, or without the cache, runs', async () => {
  const first = await world.client.run(DICE)
  const variants: JobInput[] = [
    { ...DICE, stdin: 'x' },
    { ...DICE, tenant: 'other' },
    { ...DICE, limits: { memoryMb: 200 } },
    { ...DICE, cache: false },
  ]
  for (const variant of variants) {
    const result = await world.client.run(variant)
    expect(result.cached).toBeUndefined()
    expect(result.stdout).not.toBe(first.stdout)
  }
})

// promise: result-cache
it('a timeout is not cached, because the host may be less busy next time', async () => {
  const slow: JobInput = { language: 'bash', code: 'sleep 9', cache: true, limits: { timeoutSeconds: 0.3 } }
  for (let time = 0; time < 2; time++) {
    const result = await world.client.run(slow)
    expect(result.status).toBe('timeout')
    expect(result.cached).toBeUndefined()
  }
})

// promise: result-cache
it('a result from a container that an earlier job has used is not cached', async (context) => {
  context.skip(RUNTIME === 'runsc', 'gVisor reuses no container')

  const tenant = 'one-batch'
  const shared = { ...DICE, tenant, reuse: 'batch', batchId: 'b' } as const
  const before = await world.client.run({ ...shared, code: `true; ${DICE.code}` })
  // There are two workers, so consecutive jobs of a batch need not get the same container.
  const tries: Result[] = []
  for (let n = 0; n < 5; n++) tries.push(await world.client.run({ ...shared, stdin: `${n}` }))
  const cacheable = [before, ...tries].map(({ containerOrigin }) => containerOrigin !== 'batch')
  expect(cacheable[0]).toBe(true)
  expect(cacheable).toContain(false)
  for (const [n, first] of tries.entries()) {
    const { reuse: _, batchId: __, ...elsewhere } = shared
    const again = await world.client.run({ ...elsewhere, stdin: `${n}` })
    expect([n, again.cached ?? false]).toEqual([n, cacheable[n + 1]])
    expect(again.stdout === first.stdout).toBe(cacheable[n + 1])
  }
})
