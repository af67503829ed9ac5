import { describe, expect, it } from 'vitest'
import { Demand } from '../../../src/acquire/pool/demand.ts'
import { canonical, pooled } from '../../../src/acquire/pool/pool-key.ts'
import { kind } from '../../support/fake-maker.ts'

const MINUTE = 60_000
describe('demand', () => {
  it('halves every ten seconds, and forgets a kind without requests', () => {
    const demand = new Demand(5 * MINUTE)
    for (let times = 0; times < 8; times++) demand.note(pooled(kind('a'), true), 0)
    expect(demand.poolKeys(0)).toMatchObject([{ weight: 8 }])
    expect(demand.poolKeys(20_000)).toMatchObject([{ weight: 2 }])
    expect(demand.poolKeys(5 * MINUTE)).toEqual([])
  })

  it('adds up kinds that differ only in changeable limits, and finds the most requested one', () => {
    const demand = new Demand(MINUTE)
    const small = pooled(kind('a', { memoryMb: 32 }), true)
    for (const each of [kind('a'), kind('a', { memoryMb: 32 }), kind('a', { memoryMb: 32 }), kind('b')])
      demand.note(pooled(each, true), 0)
    expect(demand.poolKeys(0)).toMatchObject([
      { poolKey: small.poolKey, weight: 3, mostRequested: { key: small.key } },
      { weight: 1 },
    ])
  })

  it('tracks a limited number of kinds', () => {
    const demand = new Demand(MINUTE)
    for (let index = 0; index < 1_000; index++) demand.note(pooled(kind(`image-${index}`), true), index)
    expect(demand.poolKeys(1_000).length).toBe(64)
  })
})

describe('the pool key of a kind', () => {
  it('includes all of its fields, in any order', () => {
    const { image, runtime, limits } = kind('a')
    expect(canonical({ limits, runtime, image })).toBe(canonical({ image, runtime, limits }))
    expect(canonical({ image, runtime, limits, preload: 'x' })).not.toBe(
      canonical({ image, runtime, limits }),
    )
    const preload = { argv: ['x'], env: {}, files: {}, mainFile: 'x', modules: [], forks: false }
    const other = pooled({ ...kind('a'), preload }, true)
    expect(other.poolKey).not.toBe(pooled(kind('a'), true).poolKey)
    expect(other.kind).toHaveProperty('preload', preload)
    // A preloaded interpreter has taken its memory and its limit of open files already.
    const less = pooled({ ...kind('a', { memoryMb: 32, openFiles: 16 }), preload }, true)
    expect([less.poolKey === other.poolKey, less.kind.limits.openFiles]).toEqual([false, 16])
  })

  it('differs for limits that cannot be changed and for another disk', () => {
    const poolKey = (asked: ReturnType<typeof kind>, changeable = true) => pooled(asked, changeable).poolKey
    expect(poolKey(kind('a', { memoryMb: 32, cpus: 0.1, processes: 1 }))).toBe(poolKey(kind('a')))
    expect(poolKey(kind('a', { memoryMb: 32 }), false)).not.toBe(poolKey(kind('a'), false))
    expect(poolKey(kind('a', { diskMb: 32 }))).not.toBe(poolKey(kind('a')))
    expect(poolKey(kind('a', { openFiles: 16 }))).toBe(poolKey(kind('a')))
    expect(poolKey(kind('a', { openFiles: 257 }))).not.toBe(poolKey(kind('a')))
  })
})
