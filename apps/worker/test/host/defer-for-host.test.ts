import { RetryableError } from '@isopod/protocol'
import { JobDeferred, JobInterrupted } from '@isopod/queue'
import { DriverFullError, DriverUnavailableError, ImageFaultError, ImageMissingError } from '@isopod/sandbox'
import { expect, it } from 'vitest'
import { deferForHost } from '../../src/host/defer-for-host.ts'

/** A host whose watches count how often they were asked to look. */
function hostOf(state: { up?: boolean; missing?: string[]; maxMs?: number } = {}) {
  const { up = true, missing = [], maxMs = 60_000 } = state
  const looks = { engine: 0, images: 0 }
  return {
    looks,
    maxMs,
    engine: {
      up,
      check: async () => {
        looks.engine += 1
      },
    },
    images: {
      missing,
      check: async () => {
        looks.images += 1
      },
    },
  }
}

it('a job without its image waits, and the watch looks unless it knows', async () => {
  const error = new ImageMissingError('r:1')
  const host = hostOf()
  const deferred = await deferForHost(error, host)
  expect(deferred).toBeInstanceOf(JobDeferred)
  expect(deferred).toMatchObject({ maxMs: 60_000, cause: error })
  expect(String(deferred)).toContain('image r:1 is not on this engine')
  expect(host.looks).toEqual({ engine: 0, images: 1 })
  const knowing = hostOf({ missing: ['r:1'] })
  await deferForHost(error, knowing)
  expect(knowing.looks.images).toBe(0)
})

it('a job waits for an engine that does not answer it, and after any fault if the engine is gone', async () => {
  expect(await deferForHost(new DriverUnavailableError('late'), hostOf())).toBeInstanceOf(JobDeferred)
  const lost = new RetryableError('the connection to the container was lost')
  const gone = hostOf({ up: false })
  expect(await deferForHost(lost, gone)).toMatchObject({ name: 'JobDeferred', cause: lost })
  expect(gone.looks.engine).toBe(1)
})

it('a job waits for an engine whose disk is full', async () => {
  const full = new DriverFullError('the disk of the engine is full')
  const deferred = await deferForHost(full, hostOf())
  expect(deferred).toMatchObject({ name: 'JobDeferred', cause: full, maxMs: 60_000 })
  expect(String(deferred)).toContain('the disk of the engine is full; the job waited 60 s for it')
})

it('any other fault uses up a try', async () => {
  const faults = [
    new RetryableError('the engine refused start'),
    new ImageFaultError('x cannot be started in this image'),
    new JobInterrupted('shutdown'),
    new TypeError('a bug'),
  ]
  for (const fault of faults) expect(await deferForHost(fault, hostOf())).toBe(fault)
  const missing = new ImageMissingError('r:1')
  expect(await deferForHost(missing, hostOf({ maxMs: 0 }))).toBe(missing)
})
