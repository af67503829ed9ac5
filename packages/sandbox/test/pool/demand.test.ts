import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Demand, shares } from '../../src/pool/demand.ts'
import { kindKey, pooled } from '../../src/pool/family.ts'
import { kind } from '../support/fake-maker.ts'

const MINUTE = 60_000
const weights = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { maxLength: 20 })

describe('places are shared so that', () => {
  it('there are never more than there are places, nor more for anybody than were asked for', () => {
    fc.assert(
      fc.property(weights, fc.nat(50), (all, places) => {
        const given = shares(all, places)
        expect(given.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(places)
        for (const [index, each] of given.entries())
          expect(each).toBeLessThanOrEqual(Math.ceil(all[index] ?? 0))
      }),
    )
  })

  it('who is asked for more has no fewer', () => {
    fc.assert(
      fc.property(weights, fc.nat(50), (all, places) => {
        const sorted = all.toSorted((one, other) => other - one)
        const given = shares(sorted, places)
        expect(given).toEqual(given.toSorted((one, other) => other - one))
      }),
    )
  })

  it.each([
    [[100], 4, [4]],
    [[50, 50], 4, [2, 2]],
    [[75, 25], 4, [3, 1]],
    [[1000, 1], 4, [4, 0]],
    [[1, 1, 1], 8, [1, 1, 1]],
    [[0.2], 8, [1]],
  ])('%j come to %i places as %j', (all, places, given) => {
    expect(shares(all, places)).toEqual(given)
  })
})

describe('demand', () => {
  it('halves every minute, and a kind that nobody asks for is forgotten', () => {
    const demand = new Demand(5 * MINUTE)
    for (let times = 0; times < 8; times++) demand.note(pooled(kind('a'), true), 0)
    expect(demand.families(0)).toMatchObject([{ weight: 8 }])
    expect(demand.families(2 * MINUTE)).toMatchObject([{ weight: 2 }])
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
