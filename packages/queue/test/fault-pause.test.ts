import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FaultPause } from '../src/fault-pause.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Milliseconds of the next pause. */
async function length(pause: FaultPause): Promise<number> {
  const started = Date.now()
  const waits = pause.wait()
  await vi.runAllTimersAsync()
  await waits
  return Date.now() - started
}

it('pauses get longer up to five seconds, and short again after a success', async () => {
  const pause = new FaultPause()
  const lengths: number[] = []
  for (let at = 0; at < 8; at++) lengths.push(await length(pause))
  expect(lengths).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000])
  pause.passed()
  expect(await length(pause)).toBe(100)
})

it('its end ends the pause that runs, and leaves none', async () => {
  const pause = new FaultPause()
  const waits = pause.wait()
  pause.end()
  await waits
  expect(await length(pause)).toBe(0)
})
