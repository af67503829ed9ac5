import { type JobInput, type Language, parseJob } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { PYTHON } from '../../../../test/support/python-language.ts'
import { footprintOf, planJudging } from '../../src/plan-judging.ts'
import { rulesOf } from '../support/rules.ts'

const heavy: Language = { ...PYTHON, name: 'heavy', default_limits: { memoryMb: 512, cpus: 1 } }
const rules = rulesOf([PYTHON, heavy])
const program = { language: 'heavy', code: 'x' }

function footprint(tests: JobInput['tests']) {
  const job = parseJob({ code: 'x', limits: { memoryMb: 64 }, tests })
  const delivery = { id: 'j-1', attempt: 1, job }
  const { execution } = rules.planExecution(delivery)
  const plan = planJudging(delivery, execution as Execution, rules)
  if (plan === undefined || 'problems' in plan) throw new Error(`not planned: ${plan?.problems}`)
  return footprintOf(plan)
}

describe('the footprint of a job with test cases', () => {
  it('is that of its largest run', () => {
    expect(footprint([{ limits: { memoryMb: 128 } }, {}])).toEqual({ memoryMb: 128, cpus: 0.5 })
  })

  it('includes its checker programs, which run after it, and its interactor, which runs at the same time', () => {
    expect(footprint([{ checker: { type: 'program', ...program } }])).toEqual({ memoryMb: 512, cpus: 1 })
    expect(footprint([{ interactor: program }])).toEqual({ memoryMb: 576, cpus: 1.5 })
  })
})
