import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LeftoverReaper } from '../../src/host/leftover-reaper.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('the reaper sweeps at its start and every 30 seconds until it stops, even after a failed sweep', async () => {
  const reap = vi.fn(async () => {
    throw new Error('the engine does not answer')
  })
  const onError = vi.fn()
  const reaper = new LeftoverReaper({ reap, onError })
  reaper.start()
  expect(reap).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reap).toHaveBeenCalledTimes(3)
  expect(onError).toHaveBeenCalledTimes(3)
  reaper.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reap).toHaveBeenCalledTimes(3)
})

it('the reaper starts no sweep while its last one still runs', async () => {
  const sweep = Promise.withResolvers<void>()
  const reap = vi.fn(() => sweep.promise)
  const reaper = new LeftoverReaper({ reap, onError: vi.fn() })
  reaper.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reap).toHaveBeenCalledTimes(1)
  sweep.resolve()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(reap).toHaveBeenCalledTimes(2)
  reaper.stop()
})
