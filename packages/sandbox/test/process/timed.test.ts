import { RetryableError, TerminalError } from '@isopod/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DriverFullError, DriverUnavailableError } from '../../src/driver/faults.ts'
import type { DriverCall } from '../../src/driver/sandbox-events.ts'
import { type Timed, timedBy } from '../../src/process/timed.ts'

let calls: DriverCall[]
let timed: Timed
beforeEach(() => {
  vi.useFakeTimers()
  calls = []
  timed = timedBy((call) => calls.push(call))
})
afterEach(() => vi.useRealTimers())
const outcomes = () => calls.map(({ operation, outcome }) => `${operation} ${outcome}`)

describe('an operation on this host', () => {
  it('is observed with its result and its seconds', async () => {
    const running = timed('create', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      return 7
    })
    await vi.advanceTimersByTimeAsync(1_500)
    expect(await running).toBe(7)
    expect(calls).toEqual([{ operation: 'create', outcome: 'ok', seconds: 1.5 }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends at its deadline, as a fault of this host', async () => {
    const running = timed('start', () => new Promise<never>(() => {}))
    const failure = expect(running).rejects.toThrow('this host did not finish start within 5 s')
    await vi.advanceTimersByTimeAsync(4_999)
    expect(calls).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await failure
    await expect(running).rejects.toThrow(DriverUnavailableError)
    expect(outcomes()).toEqual(['start timeout'])
  })

  it('may be tried again after a failure of the host, whose reason it keeps', async () => {
    const cause = new Error('no space left')
    const failure: unknown = await timed('remove', () => Promise.reject(cause)).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(RetryableError)
    expect(failure).toMatchObject({ message: 'this host refused remove: no space left', cause })
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    await expect(timed('create', () => Promise.reject(full))).rejects.toThrow(DriverFullError)
    const thrown = timed('update', () => {
      throw new Error('at once')
    })
    await expect(thrown).rejects.toThrow(RetryableError)
    expect(outcomes()).toEqual(['remove error', 'create error', 'update error'])
  })

  it('passes Isopod’s own errors on', async () => {
    const own = new TerminalError('never')
    await expect(timed('ready', () => Promise.reject(own))).rejects.toBe(own)
    expect([outcomes(), vi.getTimerCount()]).toEqual([['ready error'], 0])
  })
})
