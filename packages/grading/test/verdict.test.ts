import type { Verdict } from '@isopod/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExecutedStatus, failureOf, type JudgedTest, summarize } from '../src/index.ts'

function test(verdict: Verdict, weight = 1, status: JudgedTest['status'] = 'success'): JudgedTest {
  return { result: { verdict }, weight, status }
}

describe('a run without success', () => {
  it.each<[ExecutedStatus, Verdict | undefined]>([
    ['success', undefined],
    ['timeout', 'timeout'],
    ['memory_exceeded', 'memory_exceeded'],
    ['output_exceeded', 'output_exceeded'],
    ['execution_error', 'runtime_error'],
    ['compile_error', 'runtime_error'],
  ])('%s is %s', (status, verdict) => {
    expect(failureOf(status)).toBe(verdict)
  })
})

describe('a summary', () => {
  it('divides the weight of passed tests by the weight of all', () => {
    const tests = [test('passed', 3), test('wrong_answer', 1), test('skipped', 4, null)]
    expect(summarize(tests)).toEqual({ passed: 1, total: 3, score: 3 / 8, status: 'success' })
  })

  // promise: judge-errors
  it('counts judge errors, which never pass', () => {
    const tests = [test('passed'), test('judge_error')]
    expect(summarize(tests)).toEqual({ passed: 1, total: 2, score: 0.5, status: 'success', judgeErrors: 1 })
  })

  it('counts tests if none has a weight', () => {
    expect(summarize([test('passed', 0), test('timeout', 0, 'timeout')]).score).toBe(0.5)
  })

  it('reports how the first failed run ended', () => {
    const tests = [
      test('wrong_answer'),
      test('skipped', 1, null),
      test('timeout', 1, 'timeout'),
      test('runtime_error', 1, 'execution_error'),
    ]
    expect(summarize(tests).status).toBe('timeout')
  })

  it('has a score of 1 exactly if all passed, and 0 if none did', () => {
    const verdict = fc.constantFrom<Verdict>('passed', 'wrong_answer', 'skipped')
    const tests = fc.array(fc.tuple(verdict, fc.double({ min: 1e-6, max: 1000, noNaN: true })), {
      minLength: 1,
    })
    fc.assert(
      fc.property(tests, (list) => {
        const { passed, total, score } = summarize(list.map(([each, weight]) => test(each, weight)))
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score === 1).toBe(passed === total)
        expect(score === 0).toBe(passed === 0)
      }),
    )
  })
})
