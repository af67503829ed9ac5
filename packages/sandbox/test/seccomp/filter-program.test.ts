import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ALLOW,
  type Comparison,
  type Decision,
  type FilterPlan,
  filterProgram,
  KILL,
  refuse,
} from '../../src/seccomp/filter-program.ts'
import { AUDIT_ARCH, runFilter } from '../support/bpf.ts'

const audit = AUDIT_ARCH.x64
const EPERM = refuse(1)
const plan = (calls: Record<number, Decision>, more: Partial<FilterPlan> = {}): FilterPlan => ({
  audit,
  calls: new Map(Object.entries(calls).map(([number, decision]) => [Number(number), decision])),
  otherwise: EPERM,
  ...more,
})
const always = (verdict: number): Decision => ({ lines: [], otherwise: verdict })
const allowedIf = (...when: Comparison[]): Decision => ({
  lines: [{ when, verdict: ALLOW }],
  otherwise: EPERM,
})
const verdictOn = (filter: FilterPlan, number: number, ...args: bigint[]) =>
  runFilter(filterProgram(filter), { audit, number, args })

describe('a seccomp program', () => {
  it('has the values of the kernel for its verdicts', () => {
    expect([ALLOW, KILL, refuse(38)]).toEqual([0x7fff_0000, 0x8000_0000, 0x0005_0026])
  })

  it('ends the process after a call of another architecture, whatever its number', () => {
    const program = filterProgram(plan({ 1: always(ALLOW) }, { otherwise: ALLOW }))
    for (const foreign of [AUDIT_ARCH.i386, AUDIT_ARCH.arm64, AUDIT_ARCH.arm, 0]) {
      for (const number of [0, 1, 2, 0xffff_ffff]) {
        expect(runFilter(program, { audit: foreign, number })).toBe(KILL)
      }
    }
  })

  it('decides on every number, also on those beyond 31 bits', () => {
    const filter = plan({ 0: always(ALLOW), 7: always(refuse(38)), 8: always(ALLOW) })
    const numbers = [0, 1, 6, 7, 8, 9, 0x4000_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]
    expect(numbers.map((number) => verdictOn(filter, number))).toEqual([
      ...[ALLOW, EPERM, EPERM, refuse(38), ALLOW, EPERM],
      ...[EPERM, EPERM, EPERM, EPERM],
    ])
  })

  it('ends the process after a number of a foreign range, and only of that', () => {
    const filter = plan({ 0: always(ALLOW) }, { otherwise: ALLOW, foreign: [0x4000_0000, 0xffff_ffff] })
    const verdicts = [0x3fff_ffff, 0x4000_0000, 0x4000_0027, 0xffff_fffe, 0xffff_ffff].map((number) =>
      verdictOn(filter, number),
    )
    expect(verdicts).toEqual([ALLOW, KILL, KILL, KILL, ALLOW])
  })

  it('compares both halves of an argument', () => {
    const filter = plan({ 5: allowedIf({ argument: 5, equals: 0x1_0000_0002n }) })
    const on = (value: bigint) => verdictOn(filter, 5, 0n, 0n, 0n, 0n, 0n, value)
    expect([0x1_0000_0002n, 2n, 0x1_0000_0000n, 0x2_0000_0001n, 0x8000_0001_0000_0002n].map(on)).toEqual([
      ALLOW,
      ...[EPERM, EPERM, EPERM, EPERM],
    ])
  })

  it('compares only the bits of the mask, in either half', () => {
    const mask = 0x8000_0000_0000_000fn
    const filter = plan({ 5: allowedIf({ argument: 0, mask, equals: 1n }) })
    const values = [1n, 0x7fff_ffff_ffff_fff1n, 2n, 0x8000_0000_0000_0001n]
    expect(values.map((value) => verdictOn(filter, 5, value))).toEqual([ALLOW, ALLOW, EPERM, EPERM])
  })

  it('takes the first line whose comparisons all hold', () => {
    const filter = plan({
      5: {
        lines: [
          {
            when: [
              { argument: 0, equals: 1n },
              { argument: 1, equals: 2n },
            ],
            verdict: ALLOW,
          },
          { when: [{ argument: 0, equals: 1n }], verdict: KILL },
        ],
        otherwise: EPERM,
      },
    })
    expect([
      verdictOn(filter, 5, 1n, 2n),
      verdictOn(filter, 5, 1n, 3n),
      verdictOn(filter, 5, 2n, 2n),
    ]).toEqual([...[ALLOW, KILL, EPERM]])
  })

  it('is refused if it is longer than the kernel takes', () => {
    const calls = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [2 * index, always(ALLOW)]))
    expect(() => filterProgram(plan(calls))).toThrow(/instructions are too many/)
  })

  it('does what the plan says, for any plan and any call', () => {
    const verdict = fc.constantFrom(ALLOW, KILL, EPERM, refuse(38))
    // Few different values, so that comparisons hold often enough.
    const word = fc.constantFrom(
      0n,
      1n,
      2n,
      0xffff_ffffn,
      0x1_0000_0000n,
      0x1_0000_0001n,
      2n ** 63n,
      2n ** 64n - 1n,
    )
    const argument = fc.integer({ min: 0, max: 5 })
    const comparison = fc.record(
      { argument, equals: word, mask: word },
      { requiredKeys: ['argument', 'equals'] },
    )
    const line = fc.record({ when: fc.array(comparison, { minLength: 1, maxLength: 6 }), verdict })
    const decision = fc.record({ lines: fc.array(line, { maxLength: 4 }), otherwise: verdict })
    const number = fc.integer({ min: 0, max: 40 })
    const calls = fc.array(fc.tuple(number, decision), { maxLength: 30 })
    const tried = fc.array(fc.tuple(number, fc.array(word, { minLength: 6, maxLength: 6 })), {
      minLength: 20,
    })
    fc.assert(
      fc.property(calls, verdict, tried, (entries, otherwise, attempts) => {
        const filter: FilterPlan = { audit, calls: new Map(entries), otherwise }
        const program = filterProgram(filter)
        for (const [called, args] of attempts) {
          expect(runFilter(program, { audit, number: called, args })).toBe(wanted(filter, called, args))
        }
      }),
    )
  })
})

function wanted({ calls, otherwise }: FilterPlan, number: number, args: readonly bigint[]): number {
  const decision = calls.get(number)
  const line = decision?.lines.find(({ when }) =>
    when.every(({ argument, mask, equals }) => {
      const value = args[argument] ?? 0n
      return (mask === undefined ? value : value & mask) === equals
    }),
  )
  return line?.verdict ?? decision?.otherwise ?? otherwise
}
