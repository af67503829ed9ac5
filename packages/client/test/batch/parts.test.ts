import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchOutcome, sampleJudgement } from '../../src/batch/batch-outcome.ts'
import { resolveBatchOptions } from '../../src/batch/options.ts'
import { progressOf } from '../../src/batch/progress.ts'
import { Rate } from '../../src/batch/rate.ts'
import { ResultStream } from '../../src/batch/result-stream.ts'
import { Slots } from '../../src/batch/slots.ts'
import { Tally } from '../../src/batch/tally.ts'
import type { Result } from '../../src/index.ts'

test('a stream yields each item once, in order, then ends, and applies backpressure', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (steps) => {
      const stream = new ResultStream<number>(() => {})
      const got: IteratorResult<number, undefined>[] = []
      const taken: number[] = []
      let given = 0
      let asked = 0
      for (const isGiving of steps) {
        const n = given
        if (isGiving) void stream.give(given++).then(() => taken.push(n))
        else void stream.next().then((each) => got.push(each))
        if (!isGiving) asked += 1
        await turn()
        const passed = Math.min(given, asked)
        expect(got.map(({ value }) => value)).toEqual(Array.from({ length: passed }, (_, each) => each))
        expect(taken.length).toBe(passed)
      }
      stream.end()
      for (let left = given - Math.min(given, asked); left > 0; left--) got.push(await stream.next())
      expect(await stream.next()).toEqual({ done: true, value: undefined })
      expect(got.filter(({ done }) => !done).map(({ value }) => value)).toEqual(
        Array.from({ length: given }, (_, each) => each),
      )
    }),
  )
})

test('no more tasks run than there are slots, and releasing a slot twice releases it once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 30 }),
      async (count, tasks) => {
        const slots = new Slots(count)
        let running = 0
        let most = 0
        const task = async () => {
          const done = await slots.take()
          most = Math.max(most, ++running)
          await turn()
          running -= 1
          done()
          done()
        }
        await Promise.all(Array.from({ length: tasks }, task))
        expect(most).toBe(Math.min(count, tasks))
      },
    ),
    { numRuns: 30 },
  )
})

test('a rate covers only the last half minute', () => {
  let now = 0
  const rate = new Rate(() => now)
  expect(rate.perSecond()).toBe(0)
  const go = (seconds: number, perSecond: number) => {
    for (let n = 0; n < seconds * perSecond; n++) {
      now += 1000 / perSecond
      rate.add()
    }
  }
  go(10, 20)
  expect(rate.perSecond()).toBeCloseTo(20)
  go(60, 4)
  expect(rate.perSecond()).toBeCloseTo(4, 0)
  now += 90_000
  expect(rate.perSecond()).toBeLessThan(1.5)
})

test('the ETA follows from rate and total, and is undefined if either is unknown', () => {
  let now = 0
  const tally = new Tally('never')
  const rate = new Rate(() => now)
  const add = () => {
    const place = tally.problem('p').enter()
    tally.add(place, { id: 'a', problem: 'p', outcome: 'passed', retriedFaults: 0, resumed: false })
    rate.add()
  }
  expect(progressOf(tally, rate, 10)).toMatchObject({ done: 0, etaSeconds: undefined, passAt1: undefined })
  now = 2000
  for (let n = 0; n < 4; n++) add()
  expect(progressOf(tally, rate, 10)).toMatchObject({ ratePerSecond: 2, etaSeconds: 3, passAt1: 1 })
  expect(progressOf(tally, rate, undefined).etaSeconds).toBeUndefined()
  expect(progressOf(tally, rate, 4).etaSeconds).toBe(0)
})

test('a sample passes only if all its tests do, and a result that is not attributable is a fault', () => {
  const result = { attributable: true, status: 'success' } as Result
  const summary = { passed: 2, total: 2, score: 1, status: 'success' } as const
  const tests = [{}, {}] as never
  expect(batchOutcome({ tests: undefined }, result)).toBe('passed')
  expect(batchOutcome({ tests: undefined }, { ...result, status: 'timeout' })).toBe('failed')
  expect(batchOutcome({ tests: undefined }, { ...result, status: 'setup_error', attributable: false })).toBe(
    'fault',
  )
  expect(batchOutcome({ tests }, { ...result, summary })).toBe('passed')
  expect(batchOutcome({ tests }, { ...result, summary, attributable: false })).toBe('fault')
  expect(batchOutcome({ tests }, { ...result, summary: { ...summary, passed: 1 } })).toBe('failed')
  expect(batchOutcome({ tests }, { ...result, summary: { ...summary, passed: 1, total: 1 } })).toBe('failed')
  expect(batchOutcome({ tests }, result)).toBe('failed')
  const policy = { mode: 'enforce', rules: 'standard', checked: true } as const
  const refused = { ...result, status: 'validation_error' } as const
  expect(batchOutcome({ tests }, { ...refused, policy })).toBe('failed')
  expect(batchOutcome({ tests }, refused)).toBe('fault')
})

// promise: judge-errors
test('a sample that failed only by judge errors is no ordinary failure', () => {
  const judgement = (...verdicts: string[]) => {
    const tests = verdicts.map((verdict) => ({ verdict }))
    const passed = verdicts.filter((verdict) => verdict === 'passed').length
    const summary = { passed, total: tests.length, score: 0, status: 'success' }
    const result = { attributable: true, status: 'success', tests, summary } as unknown as Result
    return sampleJudgement({ tests }, result)
  }
  expect(judgement('passed', 'passed')).toBe('passed')
  expect(judgement('passed', 'judge_error', 'skipped')).toBe('judge_error')
  expect(judgement('judge_error', 'wrong_answer')).toBe('failed')
  expect(judgement('passed', 'unverified')).toBe('failed')
})

// promise: judge-errors
test('judge errors are counted on their own, and are no samples of pass@k if they are excluded', () => {
  const totals = (outcome: 'failed' | 'excluded') => {
    const tally = new Tally('never')
    for (const each of ['passed', outcome] as const) {
      const judgeError = each === outcome && { judgeError: true as const }
      const sample = {
        id: each,
        problem: 'p',
        outcome: each,
        retriedFaults: 0,
        resumed: false,
        ...judgeError,
      }
      tally.add(tally.problem('p').enter(), sample)
    }
    return tally.totals([1])
  }
  expect(totals('failed')).toMatchObject({
    failed: 1,
    judgeErrors: 1,
    samples: 2,
    passAt: { 1: { estimate: 0.5 } },
  })
  expect(totals('excluded')).toMatchObject({
    failed: 0,
    judgeErrors: 1,
    samples: 2,
    passAt: { 1: { estimate: 1 } },
  })
})

test('an invalid option is refused, naming it, what is allowed and what was given', () => {
  const wrong: [object, RegExp][] = [
    [{ id: 'a:b' }, /^id: must be 1 to 100 characters .*"a:b"/],
    [{ samples: 'text' }, /^samples: must be an iterable, got "text"/],
    [{ k: [] }, /^k: must be a list of at least one number, got \[\]/],
    [{ k: [0] }, /^k: must be a whole number from 1/],
    [{ k: [1, 2], stopWhen: 'failed' }, /^k: must be \[1\] with stopWhen "failed"/],
    [{ stopWhen: 'now' }, /^stopWhen: must be one of never, passed, failed, got "now"/],
    [{ judgeErrors: 'no' }, /^judgeErrors: must be one of fail, exclude, got "no"/],
    [{ inFlight: 0 }, /^inFlight: must be a whole number from 1 to 10000, got 0/],
    [{ faultTries: 1.5 }, /^faultTries/],
    [{ faultPauseMs: -1 }, /^faultPauseMs/],
    [{ stateTtlSeconds: 1 }, /^stateTtlSeconds/],
    [{ total: -1 }, /^total/],
  ]
  for (const [options, message] of wrong) {
    expect(() => resolveBatchOptions({ samples: [], ...options })).toThrow(message)
  }
  expect(resolveBatchOptions({ samples: [], k: [5, 1, 5] })).toMatchObject({
    k: [5, 1],
    inFlight: 256,
    isNamed: false,
  })
})
