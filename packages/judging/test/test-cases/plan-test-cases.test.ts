import { type JobInput, parseJob } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { PYTHON } from '../../../../test/support/python-language.ts'
import { planJudging } from '../../src/plan-judging.ts'
import { rulesOf } from '../support/rules.ts'

const rules = rulesOf([PYTHON])

function problems(tests: NonNullable<JobInput['tests']>): readonly string[] {
  const delivery = { id: 'j-1', attempt: 1, job: parseJob({ code: 'x', tests }) }
  const plan = planJudging(delivery, rules.planExecution(delivery).execution as Execution, rules)
  return plan !== undefined && 'problems' in plan ? plan.problems : []
}

describe('planJudging refuses test cases', () => {
  it('if their regular expressions are too large together, however short they are written', () => {
    const expected = 'a{1000}'.repeat(60)
    expect(problems([{ expected, checker: 'regex' }])).toEqual([])
    const both = { expected, checker: 'regex' } as const
    expect(problems([both, both])).toEqual([
      'tests: regular expressions must have at most 100000 steps together, with counted repetitions expanded, got 120000',
    ])
  })

  it('if a checker program could receive an output above the maximum size of a file', () => {
    const checker = { type: 'program', language: 'python', code: 'x' } as const
    expect(problems([{ checker, limits: { outputBytes: 6_000_000 } }])).toEqual([])
    const [problem] = problems([{ checker, limits: { outputBytes: 10_000_000 } }])
    expect(problem).toMatch(/^tests\.0\.limits\.outputBytes: must be at most \d+ with a checker program/)
  })

  it('if a helper program has an unknown language', () => {
    const checker = { type: 'program', language: 'cobol', code: 'x' } as const
    expect(problems([{ checker }, { interactor: { language: 'cobol', code: 'x' } }])).toEqual([
      expect.stringMatching(/^tests\.0\.checker\.language: language: "cobol" is not supported/),
      expect.stringMatching(/^tests\.1\.interactor\.language: language: "cobol" is not supported/),
    ])
  })
})
