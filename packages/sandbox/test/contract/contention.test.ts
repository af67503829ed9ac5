import { describe, expect, it } from 'vitest'
import { wasStarved } from '../../src/contract/contention.ts'

const overcommitted = () => true
const limits = { cpus: 1, cpuSeconds: null }
/** A run that timed out after ten seconds with the given CPU time in milliseconds. */
const timedOut = (cpuMs: number, throttledMs = 0) => ({
  ...({ status: 'timeout', limit: 'timeout' } as const),
  wallMs: 10_000,
  cpuUserMs: cpuMs,
  cpuSysMs: 0,
  throttledMs,
})

describe('a timeout may be caused by contention', () => {
  it('if the program lacked a fifth of its CPU time or more', () => {
    expect(wasStarved(timedOut(7_900), limits, overcommitted)).toBe(true)
    expect(wasStarved(timedOut(600), limits, overcommitted)).toBe(true)
  })

  it('if its compiler lacked as much, whatever limits the program’s own CPU time', () => {
    const outcome = { ...timedOut(600), status: 'compile_error' } as const
    expect(wasStarved(outcome, { ...limits, cpuSeconds: 8 }, overcommitted)).toBe(true)
  })

  it('but not if no other execution ran at the same time', () => {
    expect(wasStarved(timedOut(5_000), limits, (ms) => ms > 10_000)).toBe(false)
  })

  it.each([
    ['it had the processor', timedOut(8_100), limits],
    ['it had all that its quota gives', timedOut(4_800), { ...limits, cpus: 0.5 }],
    ['its quota held it back', timedOut(6_100, 3_000), limits],
    ['it had one processor of the two that it may use', timedOut(9_900), { ...limits, cpus: 2 }],
    ['it slept', timedOut(300), limits],
    ['its CPU seconds are limited', timedOut(5_000), { ...limits, cpuSeconds: 8 }],
    ['its CPU seconds ended it', { ...timedOut(5_000), limit: 'cpu' } as const, limits],
    ['its compiler had the processor', { ...timedOut(8_100), status: 'compile_error' } as const, limits],
    ['its source is wrong', { ...timedOut(5_000), status: 'compile_error', limit: null } as const, limits],
    ['its processor time was not measured', { ...timedOut(0), cpuUserMs: null, cpuSysMs: null }, limits],
  ])('but not if %s', (_, outcome, its) => {
    expect(wasStarved(outcome, its, overcommitted)).toBe(false)
  })
})
