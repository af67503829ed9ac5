import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meanPassAtK, passAtK } from '../../src/batch/pass-at-k.ts'

describe('pass@k of a problem', () => {
  it.each([
    [10, 3, 1, 0.3],
    [10, 3, 5, 1 - 21 / 252],
    [10, 3, 8, 1],
    [10, 0, 5, 0],
    [5, 5, 1, 1],
    [200, 1, 100, 0.5],
    [200, 10, 10, 0.4085],
    [1000, 500, 10, 0.99906],
  ])('%i samples of which %i passed, k = %i: %d', (samples, passed, k, value) => {
    expect(passAtK({ samples, passed }, k)).toBeCloseTo(value, 3)
  })

  it('is undefined with fewer than k samples', () => {
    expect(passAtK({ samples: 4, passed: 4 }, 5)).toBeUndefined()
  })

  it('equals the mean over all ways to draw k samples', () => {
    const tally = fc.integer({ min: 1, max: 9 }).chain((samples) =>
      fc.record({
        samples: fc.constant(samples),
        passed: fc.nat(samples),
        k: fc.integer({ min: 1, max: samples }),
      }),
    )
    fc.assert(
      fc.property(tally, ({ samples, passed, k }) => {
        let [all, good] = [0, 0]
        for (let draw = 0; draw < 2 ** samples; draw++) {
          const drawn = Array.from({ length: samples }, (_, place) => (draw >> place) & 1)
          if (drawn.reduce((sum, one) => sum + one, 0) !== k) continue
          all++
          if (drawn.slice(0, passed).includes(1)) good++
        }
        expect(passAtK({ samples, passed }, k)).toBeCloseTo(good / all, 9)
      }),
    )
  })
})

describe('pass@k of many problems', () => {
  it('is their mean, within its interval', () => {
    const tallies = fc.array(
      fc
        .integer({ min: 5, max: 50 })
        .chain((samples) => fc.record({ samples: fc.constant(samples), passed: fc.nat(samples) })),
      { minLength: 1, maxLength: 20 },
    )
    fc.assert(
      fc.property(tallies, (problems) => {
        const estimate = meanPassAtK(problems, 5)
        const mean = problems.reduce((sum, each) => sum + (passAtK(each, 5) ?? 0), 0) / problems.length
        expect(estimate?.value).toBeCloseTo(mean, 9)
        expect(estimate?.low).toBeLessThanOrEqual(mean + 1e-12)
        expect(estimate?.high).toBeGreaterThanOrEqual(mean - 1e-12)
        expect(estimate?.low).toBeGreaterThanOrEqual(0)
        expect(estimate?.high).toBeLessThanOrEqual(1)
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    { samples: 10, chances: 'between 0 and 1', chance: (random: number) => random, truth: 0.5 },
    { samples: 1, chances: 'of 0.98', chance: () => 0.98, truth: 0.98 },
    { samples: 5, chances: 'of 0 or 1', chance: (random: number) => Math.round(random), truth: 0.5 },
  ])('covers the true value about nineteen times out of twenty, with probabilities $chances', (model) => {
    // 200 experiments with 100 problems each, from a seeded generator.
    let state = 7
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    let covered = 0
    for (let experiment = 0; experiment < 200; experiment++) {
      const problems = Array.from({ length: 100 }, () => {
        const chance = model.chance(random())
        const passed = Array.from({ length: model.samples }, () => random() < chance).filter(Boolean).length
        return { samples: model.samples, passed }
      })
      const { low, high } = meanPassAtK(problems, 1) ?? { low: 1, high: 0 }
      if (low <= model.truth && model.truth <= high) covered++
    }
    expect(covered).toBeGreaterThan(180)
    expect(covered).toBeLessThan(200)
  })

  it('has a non-empty interval if all passed or none did', () => {
    const all = Array.from({ length: 164 }, () => ({ samples: 1, passed: 1 }))
    expect(meanPassAtK(all, 1)).toEqual({ value: 1, low: expect.closeTo(0.9771, 4), high: 1 })
    const none = all.map(({ samples }) => ({ samples, passed: 0 }))
    expect(meanPassAtK(none, 1)).toEqual({ value: 0, low: 0, high: expect.closeTo(0.0229, 4) })
  })

  it('has a non-empty interval if the mean is near 1 or the problems are nearly equal', () => {
    const nearly = meanPassAtK(
      [
        { samples: 200, passed: 200 },
        { samples: 200, passed: 44 },
      ],
      100,
    )
    expect(nearly).toEqual({ value: 1, low: expect.closeTo(0.342, 3), high: 1 })
    // Five problems with ten samples and equal verdicts: rounding must not change the number of trials.
    for (const passed of [1, 2, 3, 5, 9]) {
      const same = Array.from({ length: 5 }, () => ({ samples: 10, passed }))
      const { low = 0, high = 0 } = meanPassAtK(same, 1) ?? {}
      const share = passed / 10
      expect(high - low).toBeLessThan(2.1 * 1.96 * Math.sqrt((share * (1 - share)) / 50 + 1 / 2500))
    }
  })

  it('leaves out problems with too few samples', () => {
    expect(meanPassAtK([{ samples: 1, passed: 1 }], 5)).toBeUndefined()
    const one = { samples: 10, passed: 0 }
    expect(meanPassAtK([one, { samples: 1, passed: 1 }], 5)).toEqual(meanPassAtK([one], 5))
  })
})
