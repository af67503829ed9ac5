import { ConfigError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { budgetOf } from '../../src/admission/budget.ts'

const GIB = 1024 ** 3
const nothing = { workers: 1, memoryMb: undefined, cpus: undefined, slots: undefined }

describe('the budget of a worker', () => {
  it('is three quarters of the memory of its host, all cores, and two executions per core', () => {
    expect(budgetOf(nothing, { cpus: 2, memoryBytes: 8 * GIB }, 256)).toEqual({
      memoryMb: 6144,
      cpus: 2,
      slots: 4,
    })
  })

  it('is the worker’s part of the host if several workers share it', () => {
    const budget = budgetOf({ ...nothing, workers: 4 }, { cpus: 8, memoryBytes: 8 * GIB }, 256)
    expect(budget).toEqual({ memoryMb: 1536, cpus: 2, slots: 4 })
  })

  it('is replaced by the operator’s settings', () => {
    const said = { memoryMb: 1536, cpus: 0.5, slots: 1 }
    expect(budgetOf({ workers: 2, ...said }, { cpus: 2, memoryBytes: 8 * GIB }, 256)).toEqual(said)
  })

  it('has room for a default job even on the smallest host', () => {
    expect(budgetOf(nothing, { cpus: 1, memoryBytes: GIB / 4 }, 256).memoryMb).toBe(256)
  })

  it('is refused if it has no room for a default job', () => {
    const open = () => budgetOf({ ...nothing, memoryMb: 128 }, { cpus: 2, memoryBytes: GIB }, 256)
    expect(open).toThrow(ConfigError)
    expect(open).toThrow(/^ISOPOD_MEMORY_MB: must be at least .*256.*got 128$/)
  })
})
