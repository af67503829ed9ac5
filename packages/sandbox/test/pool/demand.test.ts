import { describe, expect, it } from 'vitest'
import { Demand } from '../../src/pool/demand.ts'
import { kindKey, pooled } from '../../src/pool/family.ts'
import { kind } from '../support/fake-maker.ts'

const MINUTE = 60_000
describe('demand', () => {
  it('halves every ten seconds, and a kind that nobody asks for is forgotten', () => {
    const demand = new Demand(5 * MINUTE)
    for (let times = 0; times < 8; times++) demand.note(pooled(kind('a'), true), 0)
    expect(demand.families(0)).toMatchObject([{ weight: 8 }])
    expect(demand.families(20_000)).toMatchObject([{ weight: 2 }])
    expect(demand.families(5 * MINUTE)).toEqual([])
  })

  it('adds up what differs only in limits that can be changed, and knows which is asked for most', () => {
    const demand = new Demand(MINUTE)
    const small = pooled(kind('a', { memoryMb: 32 }), true)
    for (const each of [kind('a'), kind('a', { memoryMb: 32 }), kind('a', { memoryMb: 32 }), kind('b')])
      demand.note(pooled(each, true), 0)
    expect(demand.families(0)).toMatchObject([
      { family: small.family, weight: 3, favourite: { key: small.key } },
      { weight: 1 },
    ])
  })

  it('stays small whatever limits are asked for', () => {
    const demand = new Demand(MINUTE)
    for (let index = 0; index < 1_000; index++) demand.note(pooled(kind(`image-${index}`), true), index)
    expect(demand.families(1_000).length).toBe(64)
  })
})

describe('a kind', () => {
  it('is compared whole, fields of later times included, in any order', () => {
    const { image, runtime, limits } = kind('a')
    expect(kindKey({ limits, runtime, image })).toBe(kindKey({ image, runtime, limits }))
    expect(kindKey({ image, runtime, limits, preload: 'x' })).not.toBe(kindKey({ image, runtime, limits }))
    const preload = { argv: ['x'], env: {}, files: {}, mainFile: 'x', modules: [], forks: false }
    const other = pooled({ ...kind('a'), preload }, true)
    expect(other.family).not.toBe(pooled(kind('a'), true).family)
    expect(other.kind).toHaveProperty('preload', preload)
    // An interpreter that has started keeps its memory and its limit of files.
    const less = pooled({ ...kind('a', { memoryMb: 32, openFiles: 16 }), preload }, true)
    expect([less.family === other.family, less.kind.limits.openFiles]).toEqual([false, 16])
  })

  it('has other families where limits cannot be changed, and for another disk', () => {
    const family = (asked: ReturnType<typeof kind>, changeable = true) => pooled(asked, changeable).family
    expect(family(kind('a', { memoryMb: 32, cpus: 0.1, processes: 1 }))).toBe(family(kind('a')))
    expect(family(kind('a', { memoryMb: 32 }), false)).not.toBe(family(kind('a'), false))
    expect(family(kind('a', { diskMb: 32 }))).not.toBe(family(kind('a')))
    expect(family(kind('a', { openFiles: 16 }))).toBe(family(kind('a')))
    expect(family(kind('a', { openFiles: 257 }))).not.toBe(family(kind('a')))
  })
})
