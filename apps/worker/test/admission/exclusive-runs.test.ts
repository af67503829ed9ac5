import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Admission, MAX_PASSES } from '../../src/admission/admission.ts'
import { type ExclusiveOutcome, ExclusiveRuns } from '../../src/admission/exclusive-runs.ts'
import { TimeAllowance } from '../../src/admission/time-allowance.ts'
import { MAX_FOREIGN_WAIT_MS, mustYield } from '../../src/admission/yield-watch.ts'

const never = new AbortController().signal
const SMALL = { memoryMb: 64, cpus: 0.1 }
const HOUR_MS = 3_600_000

/** Advances the fake clock. */
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const
  vi.useFakeTimers({ toFake: [...toFake] })
})

afterEach(() => {
  vi.useRealTimers()
})

function world({ share = 0.05, maxWaitMs = 30_000 } = {}) {
  const admission = new Admission({ memoryMb: 1024, cpus: 4, slots: 4 })
  const outcomes: [ExclusiveOutcome, number][] = []
  const onOutcome = (outcome: ExclusiveOutcome, ms: number) => outcomes.push([outcome, Math.round(ms)])
  const runs = new ExclusiveRuns({ admission, share, maxWaitMs, onOutcome })
  /** Requests exclusive runs that take `takesMs` each, whatever their timeouts; the result is how many were made. */
  const ask = (tenant: string, takesMs: number, timeoutsMs = [takesMs]) =>
    runs.run({ tenant, timeoutsMs, extraMs: 1_000 }, never, (count, signal) => programs(count, signal))
  async function programs(count: number, signal: AbortSignal): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    setTimeout(() => resolve(count), takesOf(count))
    signal.addEventListener('abort', () => reject(signal.reason))
    return await promise
  }
  let takes = 0
  const takesOf = (count: number) => takes * count
  const enter = (tenant: string, timeoutMs = 30_000) => admission.enter(SMALL, never, { tenant, timeoutMs })
  return {
    admission,
    outcomes,
    runs,
    enter,
    ask: (tenant: string, takesMs: number, timeoutsMs?: number[]) => {
      takes = takesMs
      return ask(tenant, takesMs, timeoutsMs)
    },
  }
}

// promise: second-run-bounds
describe('an allowance', () => {
  it('is a fixed share of any window, however it is spent', async () => {
    const allowance = new TimeAllowance({ share: 0.05, windowMs: HOUR_MS, now: () => performance.now() })
    expect(allowance.availableMs).toBe(180_000)
    allowance.spend(100_000)
    await advance(HOUR_MS / 2)
    allowance.spend(70_000)
    expect(allowance.availableMs).toBe(10_000)
    await advance(HOUR_MS / 2)
    expect(allowance.availableMs).toBe(110_000)
    await advance(10 * HOUR_MS)
    expect(allowance.availableMs).toBe(180_000)
  })

  it('never becomes negative', () => {
    const allowance = new TimeAllowance({ share: 0.5, windowMs: 1_000, now: () => 0 })
    allowance.spend(800)
    expect(allowance.availableMs).toBe(0)
  })
})

// promise: second-run-bounds
describe('exclusive runs', () => {
  it('take at most 5 % of each hour, and at most a quarter of that for one tenant', async () => {
    const { ask, outcomes } = world()
    for (const tenant of ['a', 'b', 'c', 'd', 'e']) {
      for (let done = 0; done < 12; done++) {
        const answer = ask(tenant, 9_900)
        await advance(10_000)
        await answer
      }
    }
    const heldMs = outcomes.reduce((sum, [, ms]) => sum + ms, 0)
    expect(outcomes.map(([outcome]) => outcome === 'made')).toEqual(
      // A tenant's 45 s hold four runs of 9.9 s; four tenants leave two runs of all tenants' 180 s.
      [4, 4, 4, 4, 2].flatMap((made) => Array.from({ length: 12 }, (_, at) => at < made)),
    )
    expect(heldMs).toBeLessThanOrEqual(180_000)
    await advance(HOUR_MS)
    const later = ask('a', 10_000)
    await advance(10_000)
    expect(await later).toMatchObject({ outcome: 'made' })
  })

  it('are only as many of the requested ones as the allowance covers', async () => {
    const { ask } = world()
    const answer = ask('a', 20_000, [20_000, 20_000, 20_000])
    await advance(40_000)
    expect(await answer).toEqual({ outcome: 'made', ran: 2 })
  })

  it('are denied at once if the allowance does not cover the first, or if they are switched off', async () => {
    const slow = world()
    expect(await slow.ask('a', 46_000)).toEqual({ outcome: 'denied' })
    expect(slow.admission.use).toMatchObject({ running: 0, waiting: 0 })
    for (const off of [{ share: 0 }, { maxWaitMs: 0 }]) {
      expect(await world(off).ask('a', 10)).toEqual({ outcome: 'denied' })
    }
  })

  it('end at the sum of their timeouts and the extra time', async () => {
    const { ask, outcomes, admission } = world()
    const answer = ask('a', 40_000, [5_000])
    await advance(5_999)
    expect(admission.use.running).toBe(1)
    await advance(2)
    expect(await answer).toEqual({ outcome: 'given_up' })
    expect(outcomes).toEqual([['given_up', 6_000]])
    expect(admission.use).toMatchObject({ running: 0, waiting: 0 })
  })

  it('are given up after the maximum wait, which costs nothing of the allowance', async () => {
    const { ask, enter, outcomes } = world()
    const leave = await enter('b')
    const answer = ask('a', 1_000)
    await advance(30_001)
    expect(await answer).toEqual({ outcome: 'given_up' })
    expect(outcomes).toEqual([['given_up', 0]])
    leave()
  })

  it('let later executions pass, and block them only after MAX_PASSES', async () => {
    const { ask, enter, admission, outcomes } = world({ maxWaitMs: 3_600_000 })
    const first = await enter('a')
    const answer = ask('a', 1_000)
    let leave = first
    for (let passed = 0; passed < MAX_PASSES; passed++) {
      const next = await enter('a')
      leave()
      leave = next
      await advance(500)
    }
    expect(admission.use).toMatchObject({ running: 1, waiting: 1 })
    const late = enter('a')
    await advance(2_000)
    expect(admission.use).toMatchObject({ running: 1, waiting: 2 })
    leave()
    await advance(1_000)
    expect(await answer).toMatchObject({ outcome: 'made' })
    const leaveLate = await late
    leaveLate()
    // Counted from the moment at which another execution had to wait for it.
    expect(outcomes).toEqual([['made', 3_500]])
  })

  it('yield to a job of another tenant that has waited for longer than its own timeout', async () => {
    const { ask, enter, outcomes, admission } = world()
    const answer = ask('a', 20_000)
    await advance(1_000)
    const other = enter('b', 2_000)
    const own = enter('a', 100)
    await advance(1_999)
    expect(admission.use).toMatchObject({ running: 1, waiting: 2 })
    await advance(200)
    expect(await answer).toEqual({ outcome: 'yielded' })
    for (const leave of await Promise.all([other, own])) leave()
    expect(outcomes[0]?.[0]).toBe('yielded')
    expect(outcomes[0]?.[1]).toBeLessThanOrEqual(3_200)
  })

  it('yield after MAX_FOREIGN_WAIT_MS to a job with a long timeout, too, and start after it', async () => {
    const { ask, enter } = world()
    const running = ask('a', 20_000)
    const next = ask('a', 20_000)
    const other = enter('b', 300_000)
    await advance(MAX_FOREIGN_WAIT_MS + 200)
    expect(await running).toEqual({ outcome: 'yielded' })
    // Admitted before the second exclusive run, which has waited for longer.
    const leave = await other
    await advance(1_000)
    leave()
    await advance(20_000)
    expect(await next).toMatchObject({ outcome: 'made' })
  })

  it('never start to block others while a job of another tenant has waited for too long', async () => {
    const outcomes: unknown[] = []
    const runs = new ExclusiveRuns({
      share: 0.05,
      maxWaitMs: 30_000,
      onOutcome: (...reported) => outcomes.push(reported),
      admission: {
        waiting: [{ tenant: 'b', timeoutMs: 1_000, since: performance.now() - 1_001 }],
        enterExclusively: async (onBlocking, signal) => {
          const { promise, reject } = Promise.withResolvers<never>()
          signal.addEventListener('abort', () => reject(signal.reason))
          setTimeout(onBlocking, 100)
          return await promise
        },
      },
    })
    const answer = runs.run({ tenant: 'a', timeoutsMs: [1], extraMs: 0 }, never, async () => 'ran')
    await advance(100)
    expect(await answer).toEqual({ outcome: 'yielded' })
    expect(outcomes).toEqual([['yielded', 0]])
  })

  it('pass a rejection of their work on and free the host', async () => {
    const { runs, admission } = world()
    const failing = runs.run({ tenant: 'a', timeoutsMs: [1], extraMs: 0 }, never, () =>
      Promise.reject(new Error('the engine is gone')),
    )
    await expect(failing).rejects.toThrow('the engine is gone')
    expect(admission.use.running).toBe(0)
  })

  it('end when the signal of their job aborts', async () => {
    const { runs, admission } = world()
    const controller = new AbortController()
    const request = { tenant: 'a', timeoutsMs: [1_000], extraMs: 0 }
    const answer = runs.run(request, controller.signal, (_, signal) => {
      const { promise, reject } = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise
    })
    answer.catch(() => {})
    await advance(10)
    controller.abort(new Error('cancelled'))
    await expect(answer).rejects.toThrow('cancelled')
    expect(admission.use.running).toBe(0)
  })
})

it('mustYield counts only jobs of other tenants, each after its own timeout', () => {
  const waiter = (tenant: string, timeoutMs: number, since: number) => ({ tenant, timeoutMs, since })
  expect(mustYield('a', [waiter('a', 10, 0)], 1e6)).toBe(false)
  expect(mustYield('a', [waiter('b', 2_000, 0)], 2_000)).toBe(false)
  expect(mustYield('a', [waiter('a', 10, 0), waiter('b', 2_000, 0)], 2_001)).toBe(true)
  expect(mustYield('a', [waiter('b', 300_000, 0)], MAX_FOREIGN_WAIT_MS + 1)).toBe(true)
})
