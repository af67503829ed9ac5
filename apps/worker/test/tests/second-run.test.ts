import type { Verdict } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { foldTests, isStarved, type JudgedRun, turnsAgain } from '../../src/tests/second-run.ts'

const crowded = () => true
const limits = { cpus: 1, cpuSeconds: null }
/** A run that timed out after ten seconds, with that much of the processor, in milliseconds. */
const timedOut = (cpuMs: number, throttledMs = 0) => ({
  ...({ status: 'timeout', limit: 'timeout' } as const),
  wallMs: 10_000,
  cpuUserMs: cpuMs,
  cpuSysMs: 0,
  throttledMs,
})

describe('a timeout is in doubt', () => {
  it('if the program was kept from a fifth of the processor or more', () => {
    expect(isStarved(timedOut(7_900), limits, crowded)).toBe(true)
    expect(isStarved(timedOut(600), limits, crowded)).toBe(true)
  })

  it('but not if nobody else ran meanwhile', () => {
    expect(isStarved(timedOut(5_000), limits, (ms) => ms > 10_000)).toBe(false)
  })

  it.each([
    ['it had the processor', timedOut(8_100), limits],
    ['it had all that its quota gives', timedOut(4_800), { ...limits, cpus: 0.5 }],
    ['its quota held it back', timedOut(6_100, 3_000), limits],
    ['it had one processor of the two that it may use', timedOut(9_900), { ...limits, cpus: 2 }],
    ['it slept', timedOut(300), limits],
    ['its CPU seconds are limited', timedOut(5_000), { ...limits, cpuSeconds: 8 }],
    ['its CPU seconds ended it', { ...timedOut(5_000), limit: 'cpu' } as const, limits],
    ['its compiler took too long', { ...timedOut(5_000), status: 'compile_error' } as const, limits],
    ['nobody measured it', { ...timedOut(0), cpuUserMs: null, cpuSysMs: null }, limits],
  ])('but not if %s', (_, outcome, its) => {
    expect(isStarved(outcome, its, crowded)).toBe(false)
  })
})

describe('what runs again', () => {
  const turns = [0, 0, 1, 1, 2, 2].map((index, at) => ({ index, at }))
  const run = (index: number, verdict: Verdict, starved = false) =>
    ({ index, result: { verdict }, starved }) as unknown as JudgedRun
  const again = (runs: JudgedRun[], stop: boolean) => {
    const { starved, skipped } = turnsAgain(turns, runs, stop)
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

it('what one run of a test let slip stays with it, whichever run is told', () => {
  const run = (index: number, verdict: Verdict, suspicious?: string) =>
    ({
      index,
      starved: false,
      alone: false,
      result: { verdict, ...(suspicious && { suspicious }) },
    }) as JudgedRun
  const folded = foldTests([
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
