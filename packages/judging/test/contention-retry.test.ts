import type { Verdict } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { dueRuns } from '../src/contention-retry.ts'
import { foldByTest, type JudgedRun } from '../src/judged-run.ts'

describe('dueRuns', () => {
  const pending = [0, 0, 1, 1, 2, 2].map((index, at) => ({ index, at }))
  const run = (index: number, verdict: Verdict, starved = false) =>
    ({ index, result: { verdict }, starved }) as unknown as JudgedRun
  const again = (runs: JudgedRun[], stop: boolean) => {
    const { starved, skipped } = dueRuns(pending, runs, stop)
    return [starved, skipped].map((some) => some.map(({ at }) => at))
  }
  const starved = (index: number) => run(index, 'timeout', true)

  it('returns one run of each test case that was starved', () => {
    const runs = [starved(0), starved(0), run(1, 'passed'), run(1, 'timeout'), run(2, 'passed'), starved(2)]
    expect(again(runs, false)).toEqual([[0, 4], []])
  })

  it('also returns the runs skipped after a starved one, not to be run exclusively', () => {
    expect(again([run(0, 'passed'), run(0, 'passed'), starved(1), run(1, 'passed')], true)).toEqual([
      [2],
      [4, 5],
    ])
  })

  it('returns nothing if another failure came first, or if no run was starved', () => {
    expect(again([run(0, 'wrong_answer'), starved(1)], true)).toEqual([[], []])
    expect(again([run(0, 'passed'), run(1, 'timeout')], true)).toEqual([[], []])
    expect(again([run(0, 'passed'), run(1, 'timeout')], false)).toEqual([[], []])
  })
})

it('foldByTest marks a test case as suspicious if any of its runs is', () => {
  const run = (index: number, verdict: Verdict, suspicious?: string) =>
    ({
      index,
      starved: false,
      exclusive: false,
      result: { verdict, ...(suspicious && { suspicious }) },
    }) as JudgedRun
  const folded = foldByTest([
    run(0, 'passed'),
    run(0, 'passed', 'odd'),
    run(1, 'wrong_answer'),
    run(1, 'passed'),
  ])
  expect([...folded.values()].map(({ result }) => result)).toEqual([
    { verdict: 'passed', suspicious: 'odd' },
    { verdict: 'wrong_answer', flaky: true },
  ])
})
