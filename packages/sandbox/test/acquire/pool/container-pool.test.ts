import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ContainerPool } from '../../../src/acquire/pool/container-pool.ts'
import type { PoolPolicy } from '../../../src/acquire/pool/plan.ts'
import { pooled } from '../../../src/acquire/pool/pool-key.ts'
import type { ContainerKind } from '../../../src/driver/container-kind.ts'
import { FakeMaker, kind } from '../../support/fake-maker.ts'

const never = new AbortController().signal
const IDLE_MS = 300_000
let maker: FakeMaker
let pool: ContainerPool

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  maker = new FakeMaker()
})

afterEach(async () => {
  const closed = pool.close()
  await vi.advanceTimersByTimeAsync(1_000)
  await closed
  vi.useRealTimers()
})

function open(changes: Partial<PoolPolicy> = {}): ContainerPool {
  const policy = { size: 4, refills: 1, idleMs: IDLE_MS, memoryMb: 1000, footprintMb: () => 10, ...changes }
  pool = new ContainerPool({ maker, policy })
  return pool
}

/** Takes a container as a container source does: from the pool, or none. Both count as a request. */
async function use(of: ContainerKind) {
  const wanted = pooled(of, true)
  const taken = await pool.take(wanted, Date.now() + 30_000, never)
  taken?.waiting.container.assign({ id: 'j', attempt: 1 })
  pool.asked(wanted)
  return taken
}

/** Records requests for this kind that new containers served. */
function ask(of: ContainerKind, times = 1): void {
  for (let left = times; left > 0; left--) pool.asked(pooled(of, true))
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const images = () => pool.waiting.map(({ image }) => image).sort()

describe('ContainerPool', () => {
  it('holds no containers until a kind is requested, and then at most as many as were requested', async () => {
    open()
    await pass(10_000)
    expect(maker.made).toEqual([])
    ask(kind('a'))
    await pass(1_000)
    expect(images()).toEqual(['a'])
    ask(kind('a'), 20)
    await pass(1_000)
    expect(images()).toEqual(['a', 'a', 'a', 'a'])
  })

  it('never returns a container with another seccomp profile', async () => {
    open()
    ask(kind('a'))
    await pass(1_000)
    expect(await use({ ...kind('a'), profile: 'compute' })).toBeUndefined()
    expect(await use(kind('a'))).toMatchObject({ waited: true })
  })

  it('divides its places by recent requests', async () => {
    open()
    ask(kind('a'), 20)
    await pass(1_000)
    ask(kind('b'), 20)
    await pass(2_000)
    expect(images()).toEqual(['a', 'a', 'b', 'b'])
    await pass(4 * 60_000)
    ask(kind('b'), 20)
    await pass(2_000)
    expect(images()).toEqual(['b', 'b', 'b', 'b'])
  })

  it('destroys containers at the end of their idle time, and becomes empty without requests', async () => {
    open()
    ask(kind('a'), 4)
    await pass(1_000)
    const first = maker.idle
    await pass(IDLE_MS / 2)
    await use(kind('a'))
    await pass(IDLE_MS / 2 + 1_000)
    expect(first.filter(({ destroyed, assigned }) => !destroyed && assigned.length === 0)).toEqual([])
    expect(images().length).toBeGreaterThan(0)
    await pass(IDLE_MS)
    expect(maker.idle).toEqual([])
  })

  it('replaces its last container at once, and others when no jobs arrive', async () => {
    open()
    ask(kind('a'), 4)
    await pass(1_000)
    for (let left = 3; left > 0; left--) {
      expect(await use(kind('a'))).toMatchObject({ waited: true })
      await pass(30)
      expect([maker.making, pool.waiting.length]).toEqual([0, left])
    }
    await use(kind('a'))
    expect(maker.making).toBe(1)
  })

  it('starts no refill while enough containers are being made for jobs', async () => {
    open()
    const made = Promise.withResolvers<void>()
    const jobs = Array.from({ length: 3 }, () => pool.trackExternalCreate(() => made.promise))
    ask(kind('a'))
    await pass(5_000)
    expect(maker.made).toEqual([])
    made.resolve()
    await Promise.all(jobs)
    await pass(2_000)
    expect(images()).toEqual(['a'])
  })

  it('lets a job claim a container that is being made, and withdraw the claim', async () => {
    open()
    ask(kind('a'))
    const abort = new AbortController()
    const wanted = pooled(kind('a'), true)
    const impatient = expect(pool.take(wanted, 0, abort.signal)).rejects.toThrow('enough')
    await pass(10)
    abort.abort(new Error('enough'))
    await impatient
    const patient = use(kind('a'))
    await pass(maker.takesMs)
    expect(await patient).toMatchObject({ waited: false, waiting: { container: { destroyed: false } } })
    expect(maker.made.length).toBe(1)
  })

  it('returns no dead container, and none whose deadline is too early', async () => {
    open()
    ask(kind('a'), 2)
    await pass(1_000)
    const [dead] = maker.idle
    if (dead === undefined) throw new Error('nothing waits')
    dead.isIdle = false
    const taken = await use(kind('a'))
    expect(taken?.waiting.container).not.toBe(dead)
    expect(dead).toMatchObject({ destroyed: true, assigned: [] })
    await pass(1_000)
    expect(await pool.take(pooled(kind('a'), true), Date.now() + 2 * 3_600_000, never)).toBeUndefined()
  })

  it('stays within its memory limit', async () => {
    open({ memoryMb: 35 })
    ask(kind('a'), 20)
    await pass(5_000)
    expect(images()).toEqual(['a', 'a', 'a'])
  })

  it('backs off after failures, and continues when the engine is back', async () => {
    open()
    maker.fails = true
    let tries = 0
    const make = maker.make.bind(maker)
    maker.make = (...call) => {
      tries++
      return make(...call)
    }
    ask(kind('a'))
    await pass(60_000)
    expect(tries).toBeGreaterThan(3)
    expect(tries).toBeLessThan(10)
    maker.fails = false
    await pass(16_000)
    expect(images()).toEqual(['a'])
  })

  it('leaves no container when it is closed twice, while it makes containers or while a job waits', async () => {
    open({ refills: 2 })
    ask(kind('a'), 4)
    await pass(200)
    ask(kind('b'), 4)
    const waits = use(kind('b'))
    expect(maker.making).toBeGreaterThan(0)
    const closed = [pool.close(), pool.close()]
    await pass(1_000)
    await Promise.all(closed)
    expect(await waits).toBeUndefined()
    expect([maker.idle, maker.making, pool.waiting]).toEqual([[], 0, []])
    expect(await use(kind('a'))).toBeUndefined()
    await pass(5_000)
    expect(maker.idle).toEqual([])
  })
})

const IMAGES = ['a', 'b', 'c']
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ use: fc.constantFrom(...IMAGES), memoryMb: fc.constantFrom(64, 256) }),
  },
  { weight: 3, arbitrary: fc.record({ pass: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ pass: fc.constant(IDLE_MS / 3) }) },
  { weight: 1, arbitrary: fc.record({ die: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ fails: fc.boolean() }) },
)
const policies = fc.record({
  size: fc.integer({ min: 1, max: 5 }),
  refills: fc.integer({ min: 1, max: 3 }),
  memoryMb: fc.integer({ min: 0, max: 60 }),
})

it('in any order of events ContainerPool returns no container twice and no dead one, keeps its limits, and leaves none behind', async () => {
  const property = fc.asyncProperty(policies, fc.array(step, { maxLength: 60 }), async (policy, steps) => {
    maker = new FakeMaker()
    open(policy)
    const given: object[] = []
    const waits: Promise<void>[] = []
    const check = () => {
      expect(maker.idle.length + maker.making).toBeLessThanOrEqual(policy.size + waits.length)
      expect(pool.waiting.length * 10).toBeLessThanOrEqual(policy.memoryMb)
      expect(pool.waiting.length).toBeLessThanOrEqual(policy.size)
      expect(maker.maxMaking).toBeLessThanOrEqual(policy.refills)
    }
    for (const each of steps) {
      if ('use' in each) {
        const taken = use(kind(each.use, { memoryMb: each.memoryMb })).then((found) => {
          if (found === undefined) return
          expect(given).not.toContain(found.waiting.container)
          expect(found.waiting.container.isIdle).toBe(true)
          expect(found.waiting.pooled.kind.image).toBe(each.use)
          given.push(found.waiting.container)
        })
        waits.push(taken)
        // Lets an immediate take finish before the next event.
        await pass(0)
      }
      if ('pass' in each) await pass(each.pass)
      if ('die' in each) {
        const victim = maker.idle[each.die]
        if (victim) victim.isIdle = false
      }
      if ('fails' in each) maker.fails = each.fails
      check()
    }
    const closed = pool.close()
    await pass(1_000)
    await Promise.all([closed, ...waits])
    expect([maker.idle, maker.making, pool.waiting]).toEqual([[], 0, []])
  })
  await fc.assert(property, { numRuns: 150 })
})
