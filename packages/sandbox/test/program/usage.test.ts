import { describe, expect, it } from 'vitest'
import { usageOf } from '../../src/program/usage.ts'
import { lost, report } from '../support/report.ts'

const MIB = 1024 * 1024

describe('the usage of a run', () => {
  it.each([
    [40, 40],
    [70, 64],
    [null, null],
  ])('has a peak of memory that its limit allows: of %s MiB, %s', (measured, shown) => {
    const memoryPeakBytes = measured && measured * MIB
    const usage = usageOf({ ...report({ memoryPeakBytes }), memoryLimitBytes: 64 * MIB })
    expect(usage.memoryPeakBytes).toBe(shown && shown * MIB)
    expect(usage.resourceUsage?.memoryPeakMb).toBe(shown ?? 0)
  })

  it('has such a peak without a report of init, too', () => {
    const gone = lost('memory')
    gone.samples.add({ wallMs: 1, cpuMs: 1, memoryBytes: 65 * MIB, processes: 1 })
    const usage = usageOf({ ...gone, memoryLimitBytes: 64 * MIB })
    expect(usage.memoryPeakBytes).toBe(64 * MIB)
    expect(usage.resourceUsage?.memoryPeakMb).toBe(64)
  })
})
