import type { Verdict } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { dueRuns } from '../src/contention-retry.ts'
import { foldByTest, type JudgedRun } from '../src/judged-run.ts'

describe('what runs again', () => {
  const pending = [0, 0, 1, 1, 2, 2].map((index, at) => ({ index, at }))
  const run = (index: number, verdict: Verdict, starved = false) =>
    ({ index, result: { verdict }, starved }) as unknown as JudgedRun
  const again = (runs: JudgedRun[], stop: boolean) => {
    const { starved, skipped } = dueRuns(pending, runs, stop)
    return [starved, skipped].map((some) => some.map(({ at }) => at))
  }
  const starved = (index: number) => run(index, 'timeout', true)

  it('is each test that was starved, once', () => {
    const runs = [starved(0), starved(0), run(1, 'passed'), run(1, 'timeout'), run(2, 'passed'), starved(2)]
    expect(again(runs, false)).toEqual([[0, 4], []])
  })

  it('is what was skipped behind it, too, but not alone', () => {
    expect(again([run(0, 'passed'), run(0, 'passed'), starved(1), run(1, 'passed')], true)).toEqual([
      [2],
      [4, 5],
    ])
  })

  it('is nothing if another failure came first, or nothing was starved', () => {
    expect(again([run(0, 'wrong_answer'), starved(1)], true)).toEqual([[], []])
    expect(again([run(0, 'passed'), run(1, 'timeout')], true)).toEqual([[], []])
    expect(again([run(0, 'passed'), run(1, 'timeout')], false)).toEqual([[], []])
  })
})

it('a suspicious run marks its test case, whichever run counts', () => {
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
