import { describe, expect, it } from 'vitest'
import { confirmVerdict, isConfirmable } from '../../src/script/confirm.ts'
import { judgeScript, type ScriptVerdict } from '../../src/script/judge.ts'

const PASSED: ScriptVerdict = { verdict: 'passed', diff: null }
const WRONG: ScriptVerdict = { verdict: 'wrong_answer', diff: '2 != 3' }
const FAILED: ScriptVerdict = { verdict: 'runtime_error', diff: 'NameError' }
const ended = { status: 'success', exitCode: 0, errorMessage: null, stderr: '', report: undefined } as const

describe('the verdict of a split test after a run in one process', () => {
  it('stays if both runs pass, or neither does', () => {
    expect(confirmVerdict(PASSED, PASSED, '')).toBe(PASSED)
    expect(confirmVerdict(WRONG, FAILED, '')).toBe(WRONG)
    expect(confirmVerdict(FAILED, { verdict: 'timeout', diff: '' }, '')).toBe(FAILED)
  })

  it('is unverified if only one of them passes, and says how the other one ended', () => {
    expect(confirmVerdict(PASSED, WRONG, '')).toEqual({
      verdict: 'unverified',
      diff: 'in one process with the code the script does not pass: 2 != 3',
    })
    expect(confirmVerdict(FAILED, PASSED, '')).toEqual({
      verdict: 'unverified',
      diff: 'in one process with the code the script passes; in a process of its own: NameError',
    })
  })

  it('is still suspicious', () => {
    const suspicious = { ...WRONG, suspicious: 'odd' }
    expect(confirmVerdict(PASSED, suspicious, '')).toMatchObject({ suspicious: 'odd' })
    expect(confirmVerdict(suspicious, PASSED, '')).toMatchObject({ suspicious: 'odd' })
  })

  it('counts an early end for a pass only if the script itself may end the process', () => {
    const early = judgeScript(ended, undefined)
    expect(confirmVerdict(PASSED, early, 'process.exit(failed)')).toBe(PASSED)
    expect(confirmVerdict(PASSED, early, 'assert(f())')).toMatchObject({ verdict: 'unverified' })
  })

  it('is asked for only where two runs can contradict each other', () => {
    const verdicts = [
      'passed',
      'wrong_answer',
      'runtime_error',
      'timeout',
      'unverified',
      'judge_error',
    ] as const
    const confirmable = verdicts.filter((verdict) => isConfirmable({ verdict, diff: null }))
    expect(confirmable).toEqual(['passed', 'wrong_answer', 'runtime_error'])
  })
})
