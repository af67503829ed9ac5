import { describe, expect, it } from 'vitest'
import { seededRandom, shuffled } from '../measure/random.ts'
import { median, medianInterval, quantile } from '../measure/statistics.ts'

describe('quantiles', () => {
  it('are interpolated between two neighbours', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    // R: quantile(c(15, 20, 35, 40, 50), c(.05, .4, .95, .99))
    const values = [50, 15, 40, 20, 35]
    expect([0.05, 0.4, 0.95, 0.99].map((share) => quantile(values, share))).toEqual([
      16,
      expect.closeTo(29, 10),
      expect.closeTo(48, 10),
      expect.closeTo(49.6, 10),
    ])
  })

  it('of one value are that value, and of no value throw', () => {
    expect(quantile([7], 0.99)).toBe(7)
    expect(() => median([])).toThrow(RangeError)
  })

  it('do not change the list of values', () => {
    const values = [3, 1, 2]
    median(values)
    expect(values).toEqual([3, 1, 2])
  })
})

describe('the interval of the median', () => {
  it('agrees with the order statistics of a known sample', () => {
    // The median of a resample of 25 values lies between the 8th and the 18th of them with 95 % (binomial distribution).
    const values = Array.from({ length: 25 }, (_, at) => at + 1)
    const [low, high] = medianInterval(values, seededRandom(1))
    expect(low).toBeGreaterThanOrEqual(8)
    expect(low).toBeLessThanOrEqual(9)
    expect(high).toBeGreaterThanOrEqual(17)
    expect(high).toBeLessThanOrEqual(18)
  })

  it('has no width if all values are the same, and gets narrower with more values', () => {
    expect(medianInterval([5, 5, 5], seededRandom(1))).toEqual([5, 5])
    const width = (count: number) => {
      const random = seededRandom(2)
      const [low, high] = medianInterval(Array.from({ length: count }, random), seededRandom(3), 2000)
      return high - low
    }
    expect(width(1000)).toBeLessThan(width(20) / 3)
  })

  it('is the same for the same seed', () => {
    const values = Array.from({ length: 30 }, seededRandom(9))
    const interval = (seed: number) => medianInterval(values, seededRandom(seed), 500)
    expect(interval(1)).toEqual(interval(1))
    expect(interval(1)).not.toEqual(interval(2))
  })
})

describe('the order of the contenders', () => {
  it('is random in each round, contains each contender once, and favours none', () => {
    const random = seededRandom(4)
    const firsts = new Map<string, number>()
    for (let round = 0; round < 3000; round += 1) {
      const order = shuffled(['a', 'b', 'c'], random)
      expect(order.toSorted()).toEqual(['a', 'b', 'c'])
      firsts.set(order[0] ?? '', (firsts.get(order[0] ?? '') ?? 0) + 1)
    }
    // Each of three contenders is first in a third of the rounds, within four standard deviations.
    for (const name of ['a', 'b', 'c']) expect(Math.abs((firsts.get(name) ?? 0) - 1000)).toBeLessThan(104)
  })
})
