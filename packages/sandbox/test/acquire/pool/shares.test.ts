import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Claim, sharePlaces } from '../../../src/acquire/pool/shares.ts'

const claim = fc.record({
  weight: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
  has: fc.nat(8),
  footprintMb: fc.integer({ min: 1, max: 500 }),
})
const claims = fc.array(claim, { maxLength: 20 })
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** Claims that differ only in the number of requests. */
const asked = (...weights: readonly number[]): Claim[] =>
  weights.map((weight) => ({ weight, has: 0, footprintMb: 10 }))

describe('the shares of a pool', () => {
  it('never exceed places, memory, or the requests of a claim', () => {
    fc.assert(
      fc.property(claims, fc.nat(50), fc.nat(2_000), (all, places, memoryMb) => {
        const given = sharePlaces(all, places, memoryMb)
        expect(sum(given)).toBeLessThanOrEqual(places)
        expect(sum(given.map((each, index) => each * (all[index]?.footprintMb ?? 0)))).toBeLessThanOrEqual(
          memoryMb,
        )
        for (const [index, each] of given.entries())
          expect(each).toBeLessThanOrEqual(Math.ceil(all[index]?.weight ?? 0))
      }),
    )
  })

  it('leave no place free that a claim could use', () => {
    fc.assert(
      fc.property(claims, fc.nat(50), (all, places) => {
        const wanted = sum(all.map(({ weight }) => Math.ceil(weight)))
        expect(sum(sharePlaces(all, places, Number.POSITIVE_INFINITY))).toBe(Math.min(places, wanted))
      }),
    )
  })

  it('are not smaller for a claim with more requests', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true })), fc.nat(50), (all, places) => {
        const given = sharePlaces(asked(...all.toSorted((one, other) => other - one)), places, 10_000)
        expect(given).toEqual(given.toSorted((one, other) => other - one))
      }),
    )
  })

  it('stay the same without new requests', () => {
    fc.assert(
      fc.property(claims, fc.nat(20), (all, places) => {
        const given = sharePlaces(all, places, 1_000)
        const again = all.map((each, index) => ({ ...each, has: given[index] ?? 0 }))
        expect(sharePlaces(again, places, 1_000)).toEqual(given)
      }),
    )
  })

  it.each([
    [[100], 4, [4]],
    [[50, 50], 4, [2, 2]],
    [[75, 25], 4, [3, 1]],
    [[1, 1, 1], 8, [1, 1, 1]],
    [[0.2], 8, [1]],
  ])('%j come to %i places as %j', (all, places, given) => {
    expect(sharePlaces(asked(...all), places, 1_000)).toEqual(given)
  })

  it('include a place for each recent request, however many requests of another kind there are', () => {
    expect(sharePlaces(asked(1000, 1), 4, 1_000)).toEqual([3, 1])
    expect(sharePlaces(asked(1000, 0.1), 4, 1_000)).toEqual([4, 0])
    expect(sharePlaces(asked(1000, 3, 2, 1, 0.5), 4, 1_000)).toEqual([1, 1, 1, 1, 0])
  })

  it('do not replace a container for a small gain', () => {
    const existing = { weight: 10, has: 1, footprintMb: 10 }
    expect(sharePlaces([existing, { ...existing, weight: 11, has: 0 }], 1, 1_000)).toEqual([1, 0])
    expect(sharePlaces([existing, { ...existing, weight: 16, has: 0 }], 1, 1_000)).toEqual([0, 1])
  })

  it('do not let a large claim block small ones', () => {
    const large = { weight: 5, has: 0, footprintMb: 116 }
    const small = { weight: 8, has: 0, footprintMb: 16 }
    expect(sharePlaces([large, small], 8, 256)).toEqual([1, 7])
    expect(sharePlaces([large, small], 8, 100)).toEqual([0, 6])
  })
})
