import { createCatalogue } from '@isopod/languages'
import { DEFAULT_LIMITS, type JobInput, type Language, parseJob } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { shareOf } from '../../src/tests/graded-run.ts'

const heavy = {
  name: 'heavy',
  version: '1',
  aliases: [],
  timeout_factor: 1,
  default_limits: { memoryMb: 512, cpus: 1 },
} as unknown as Language
const rules = { catalogue: createCatalogue([heavy]), defaults: {}, maxima: {} }
const execution = {
  ...{ id: 'j-1', attempt: 1, language: heavy, code: 'x' },
  limits: { ...DEFAULT_LIMITS, memoryMb: 64, cpus: 0.5 },
}
const program = { language: 'heavy', code: 'x' }
const job = (tests: JobInput['tests']) => parseJob({ code: 'x', tests })
const checked = job([{ checker: { type: 'program', ...program } }])
const talking = job([{ interactor: program }])

describe('the share of a job with tests', () => {
  it('is what its largest run may take', () => {
    const runs = [{ limits: { ...execution.limits, memoryMb: 128 } }, { limits: execution.limits }]
    expect(shareOf({ ...execution, runs }, {}, rules)).toEqual({ memoryMb: 128, cpus: 0.5 })
  })

  it('holds its checker programs, which run after it, and its interactor, which runs beside it', () => {
    expect(shareOf(execution, checked, rules)).toEqual({ memoryMb: 512, cpus: 1 })
    expect(shareOf(execution, talking, rules)).toEqual({ memoryMb: 576, cpus: 1.5 })
  })

  it('is for helpers no more than jobs may have', () => {
    const less = { ...rules, maxima: { memoryMb: 256 } }
    expect(shareOf(execution, checked, less)).toEqual({ memoryMb: 256, cpus: 1 })
  })
})
