import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS, exceededMaxima, limitsSchema, resolveLimits } from '../src/limits.ts'

describe('limits', () => {
  it('come from the job, then the language, then the deployment, then the defaults', () => {
    const limits = resolveLimits(
      { cpus: 1 },
      { cpus: 2, memoryMb: 512 },
      { cpus: 3, memoryMb: 64, diskMb: 8 },
    )
    expect(limits).toEqual({ ...DEFAULT_LIMITS, cpus: 1, memoryMb: 512, diskMb: 8 })
  })

  it('are not removed by an undefined value in the job', () => {
    expect(resolveLimits({ memoryMb: undefined }).memoryMb).toBe(256)
  })

  it('above a maximum are named, with both numbers', () => {
    expect(
      exceededMaxima({ ...DEFAULT_LIMITS, memoryMb: 512 }, { memoryMb: 128, cpus: 4, cpuSeconds: 3 }),
    ).toEqual([
      {
        field: 'limits.memoryMb',
        message: 'limits.memoryMb: must be at most 128 on this deployment, got 512',
      },
    ])
  })

  it('are accepted only within their ranges, for any number', () => {
    const number = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.constantFrom(0, -0, -1, 1e308, Number.NaN, Number.POSITIVE_INFINITY),
    )
    fc.assert(
      fc.property(number, number, (timeoutSeconds, memoryMb) => {
        const parsed = limitsSchema.safeParse({ timeoutSeconds, memoryMb })
        const fits =
          timeoutSeconds >= 0.1 &&
          timeoutSeconds <= 300 &&
          Number.isInteger(memoryMb) &&
          memoryMb >= 16 &&
          memoryMb <= 1024
        expect(parsed.success).toBe(fits)
      }),
      { numRuns: 2_000 },
    )
  })
})
