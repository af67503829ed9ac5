import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearBins, logarithmicBins, niceStep } from '../../src/report/bins.ts'

const measures = fc.array(
  fc.record({ value: fc.double({ min: 0.001, max: 1e9, noNaN: true }), passed: fc.boolean() }),
  { minLength: 1, maxLength: 200 },
)

describe.each([
  ['linear', linearBins],
  ['logarithmic', logarithmicBins],
])('%s bins', (_, bin) => {
  it('count each value once in a few adjacent bins, with marks on their axis', () => {
    fc.assert(
      fc.property(measures, (values) => {
        const { bins, ticks } = bin(values)
        expect(bins.length).toBeLessThanOrEqual(125)
        expect(bins.reduce((sum, { passed, others }) => sum + passed + others, 0)).toBe(values.length)
        expect(bins.reduce((sum, { passed }) => sum + passed, 0)).toBe(
          values.filter(({ passed }) => passed).length,
        )
        for (const [at, { low }] of bins.entries()) if (at > 0) expect(low).toBe(bins[at - 1]?.high)
        for (const { at } of ticks) expect(at >= 0 && at <= 1).toBe(true)
        expect(ticks.length).toBeLessThanOrEqual(14)
      }),
    )
  })

  it('have no marks beyond their axis', () => {
    for (const { at } of bin([{ value: 27.45, passed: false }]).ticks) expect(at).toBeGreaterThanOrEqual(0)
  })

  it('are one bin if all values are equal', () => {
    const { bins } = bin([7, 7, 7].map((value) => ({ value, passed: true })))
    expect(bins.filter(({ passed }) => passed > 0)).toHaveLength(1)
  })
})

it.each([
  [1.4, 2],
  [0.03, 0.05],
  [700, 1000],
  [5, 5],
])('a step of at least %d is %d', (least, step) => {
  expect(niceStep(least)).toBeCloseTo(step, 9)
})
