import { createCatalogue } from '@isopod/languages'
import { type JobInput, parseJob } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { compileNetworks } from '../../src/network/profiles.ts'
import { planExecution } from '../../src/plan-execution.ts'
import { PYTHON } from '../support/python.ts'

function problems(tests: NonNullable<JobInput['tests']>): readonly string[] {
  const rules = {
    ...{ catalogue: createCatalogue([PYTHON]), defaults: {}, maxima: {} },
    ...{ networks: compileNetworks({ profiles: {} }, 'p.yaml'), runtime: 'runc', runtimes: ['runc'] },
  }
  return planExecution({ id: 'j-1', attempt: 1, job: parseJob({ code: 'x', tests }) }, rules).problems ?? []
}

describe('tests are refused', () => {
  it('if their regular expressions are too large together, however short they are written', () => {
    const expected = 'a{1000}'.repeat(60)
    expect(problems([{ expected, checker: 'regex' }])).toEqual([])
    const both = { expected, checker: 'regex' } as const
    expect(problems([both, both])).toEqual([
      'tests: regular expressions must have at most 100000 steps together, with counted repetitions written out, got 120000',
    ])
  })

  it('if a checker program could be given a longer output than a file may be', () => {
    const checker = { type: 'program', language: 'python', code: 'x' } as const
    expect(problems([{ checker, limits: { outputBytes: 6_000_000 } }])).toEqual([])
    const [problem] = problems([{ checker, limits: { outputBytes: 10_000_000 } }])
    expect(problem).toMatch(
      /^tests\.0\.limits\.outputBytes: must be at most \d+ where a checker is a program/,
    )
  })
})
