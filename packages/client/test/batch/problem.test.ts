import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passAtK } from '../../src/batch/pass-at-k.ts'
import { BatchProblem, type StopWhen } from '../../src/batch/problem.ts'
import type { BatchOutcome } from '../../src/batch/sample.ts'

const programs = fc.array(fc.constantFrom('passed', 'failed', 'fault', 'excluded'), {
  minLength: 1,
  maxLength: 12,
})

const isSample = (outcome: BatchOutcome) => outcome !== 'fault' && outcome !== 'excluded'

/** Settles samples in a given order as a batch does: a sample that can be skipped is skipped. */
function run(stopWhen: StopWhen, outcomes: readonly BatchOutcome[], order: readonly number[]): BatchProblem {
  const problem = new BatchProblem(stopWhen)
  for (const _ of outcomes) problem.enter()
  for (const place of order) {
    problem.settle(place, problem.canSkip(place) ? 'skipped' : (outcomes[place] ?? 'fault'))
  }
  return problem
}

/** Samples and two orders in which they end. */
const races = programs.chain((outcomes) => {
  const places = outcomes.map((_, place) => place)
  const order = fc.shuffledSubarray(places, { minLength: places.length })
  return fc.tuple(fc.constant(outcomes), order, order)
})

test('the contribution of a problem to pass@k does not depend on which sample ended first', () => {
  fc.assert(
    fc.property(
      races,
      fc.constantFrom('never', 'passed', 'failed'),
      fc.integer({ min: 1, max: 13 }),
      (race, stopWhen, k) => {
        const [outcomes, one, other] = race
        const value = (problem: BatchProblem) => problem.tally(stopWhen === 'failed' ? 1 : k)
        expect(value(run(stopWhen, outcomes, one))).toEqual(value(run(stopWhen, outcomes, other)))
      },
    ),
  )
})

test('with skipped samples, a problem contributes whether one of its first k samples passed', () => {
  fc.assert(
    fc.property(races, fc.integer({ min: 1, max: 13 }), ([outcomes, order], k) => {
      const tally = run('passed', outcomes, order).tally(k)
      const judged = outcomes.filter(isSample)
      // Faults after the first pass are skipped, and count as samples.
      const first = outcomes.indexOf('passed')
      const faultsBefore = outcomes
        .slice(0, first < 0 ? undefined : first)
        .filter((outcome) => !isSample(outcome))
      const total = first < 0 ? judged.length : outcomes.length - faultsBefore.length
      if (tally === undefined) expect(total).toBeLessThan(k)
      else expect(passAtK(tally, k)).toBe(judged.slice(0, k).includes('passed') ? 1 : 0)
    }),
  )
})

test('the contribution with skipped samples is unbiased: its mean over all sample orders is pass@k', () => {
  const permutations = <T>(list: readonly T[]): T[][] =>
    list.length === 0
      ? [[]]
      : list.flatMap((each, place) => permutations(list.toSpliced(place, 1)).map((rest) => [each, ...rest]))
  for (const passed of [0, 1, 2, 5]) {
    const outcomes = Array.from(
      { length: 5 },
      (_, place): BatchOutcome => (place < passed ? 'passed' : 'failed'),
    )
    for (const k of [1, 2, 3, 5]) {
      const values = permutations(outcomes).map((order) => {
        const tally = run(
          'passed',
          order,
          order.map((_, place) => place),
        ).tally(k)
        return tally === undefined ? Number.NaN : (passAtK(tally, k) ?? Number.NaN)
      })
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      expect(mean).toBeCloseTo(passAtK({ samples: 5, passed }, k) ?? Number.NaN, 10)
    }
  }
})

test('without skipped samples, a problem contributes how many of its judged samples passed', () => {
  fc.assert(
    fc.property(races, fc.integer({ min: 1, max: 13 }), ([outcomes, order], k) => {
      const passed = outcomes.filter((outcome) => outcome === 'passed').length
      const samples = outcomes.filter(isSample).length
      expect(run('never', outcomes, order).tally(k)).toEqual(samples < k ? undefined : { samples, passed })
    }),
  )
})
