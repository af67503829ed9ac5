import { expect, it } from 'vitest'
import { RunTotals } from '../../src/multi-run/run-totals.ts'
import { classifyRun } from '../../src/program/classify-run.ts'
import type { ProgramReport } from '../../src/program/run-program.ts'
import { limits } from '../support/execution.ts'
import { lost, report } from '../support/report.ts'

const MIB = 1024 * 1024

/** Totals of these runs, over an outcome without values. */
function total(...reports: ProgramReport[]) {
  const series = new RunTotals()
  for (const one of reports) series.add({ report: one, end: classifyRun(one, limits({}), 'a') })
  const outcome = series.applyTo({ timings: { compile: 5 } } as never, 5)
  return { series, outcome }
}

it('RunTotals adds times and takes the largest memory', () => {
  const { outcome } = total(
    report({
      wallMs: 10,
      cpuUserMs: 2,
      cpuSysMs: 1,
      memoryPeakBytes: 8 * MIB,
      processesPeak: 2,
      throttledMs: 4,
    }),
    report({
      wallMs: 30,
      cpuUserMs: 3,
      cpuSysMs: 4,
      memoryPeakBytes: 6 * MIB,
      processesPeak: 5,
      throttledMs: 1,
    }),
  )
  expect(outcome).toMatchObject({ wallMs: 40, cpuUserMs: 5, cpuSysMs: 5, throttledMs: 5 })
  expect(outcome).toMatchObject({ memoryPeakBytes: 8 * MIB, processesPeak: 5 })
  expect(outcome.resourceUsage).toMatchObject({
    executionTimeSeconds: 0.04,
    memoryPeakMb: 8,
    cpuAveragePercent: 25,
  })
  expect(outcome.timings).toEqual({ compile: 5, run: 25 })
})

/** A run that the host killed for its memory, before init could report its usage. */
const gone = lost('memory')

it('RunTotals has no sum if a measurement of one run is missing', () => {
  for (const reports of [
    [report({}), gone],
    [gone, report({})],
  ]) {
    const { outcome } = total(...reports)
    expect(outcome).toMatchObject({ wallMs: 20, cpuUserMs: null, cpuSysMs: null, throttledMs: null })
    expect(outcome.resourceUsage).toBe(null)
    // The peak of the measured runs is kept as a lower bound.
    expect(outcome.memoryPeakBytes).toBe(64 * MIB)
  }
})
