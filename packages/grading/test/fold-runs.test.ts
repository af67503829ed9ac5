import { VERDICTS } from '@isopod/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldRuns, type RepeatedRun } from '../src/fold-runs.ts'

type Result = RepeatedRun['result']
const run = (
  verdict: Result['verdict'],
  changes: Partial<Omit<RepeatedRun, 'result'> & Result> = {},
): RepeatedRun => {
  const { starved = false, exclusive = false, exitCode = null, signal = null } = changes
  return { result: { verdict, exitCode, signal }, starved, exclusive }
}
const folded = (...runs: RepeatedRun[]) => {
  const { run: found, flaky } = foldRuns(runs) ?? {}
  return [found?.result.verdict, flaky]
}

describe('foldRuns: the runs of one test case', () => {
  it('give no verdict if there are none', () => {
    expect(foldRuns([])).toBe(undefined)
  })

  it('that all end the same way are not flaky', () => {
    expect(folded(run('passed'))).toEqual(['passed', false])
    expect(folded(run('runtime_error', { exitCode: 1 }), run('runtime_error', { exitCode: 1 }))).toEqual([
      'runtime_error',
      false,
    ])
  })

  it('give the first run with the worst verdict', () => {
    const worst = run('timeout')
    const found = foldRuns([run('passed'), worst, run('wrong_answer'), run('timeout')])
    expect(found?.run).toBe(worst)
    expect(found?.flaky).toBe(true)
  })

  it('are flaky if they fail with another exit code or signal', () => {
    const one = run('runtime_error', { exitCode: 1 })
    expect(folded(one, run('runtime_error', { exitCode: 2 }))).toEqual(['runtime_error', true])
    expect(folded(one, run('runtime_error', { signal: 'SIGSEGV' }))).toEqual(['runtime_error', true])
  })

  it('are not flaky if the same limit ended them with different exit codes', () => {
    const killed = run('memory_exceeded', { signal: 'SIGKILL' })
    expect(folded(killed, run('memory_exceeded', { exitCode: 1 }))).toEqual(['memory_exceeded', false])
  })

  it('do not count if they were starved and an exclusive run exists', () => {
    const starved = run('timeout', { starved: true })
    expect(folded(starved, run('passed', { exclusive: true }))).toEqual(['passed', true])
    expect(folded(starved, run('wrong_answer', { exclusive: true }))).toEqual(['wrong_answer', true])
    expect(folded(starved, run('timeout', { exclusive: true }))).toEqual(['timeout', false])
    expect(folded(starved, run('timeout'), run('passed', { exclusive: true }))).toEqual(['timeout', true])
    expect(folded(starved, run('passed'))).toEqual(['timeout', true])
  })

  it('are flaky or not regardless of their order', () => {
    const any = fc.constantFrom(...VERDICTS).map((verdict) => run(verdict))
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 20 }), (runs) => {
        const same = new Set(runs.map(({ result }) => result.verdict)).size === 1
        expect(foldRuns(runs)?.flaky).toBe(!same)
        expect(folded(...runs)).toEqual(folded(...runs.toReversed()))
      }),
    )
  })
})
