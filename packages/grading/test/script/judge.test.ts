import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExecutedStatus, judgeScript, type ScriptRun } from '../../src/index.ts'

const through: ScriptRun = { status: 'success', exitCode: 0, errorMessage: null, stderr: '', report: '' }

function ended(changes: Partial<ScriptRun>): ScriptRun {
  const errorMessage = `Program exited with code ${changes.exitCode ?? 1}`
  return { status: 'execution_error', exitCode: 1, errorMessage, stderr: '', report: undefined, ...changes }
}

describe('the verdict on a script', () => {
  it('is passed for exit code 0 with a report', () => {
    expect(judgeScript(through, [])).toEqual({ verdict: 'passed', diff: null })
  })

  it('is wrong_answer and suspicious for exit code 0 without a report', () => {
    const reason = 'ended with exit code 0 before its tests reached their end'
    expect(judgeScript({ ...through, report: undefined }, undefined)).toEqual({
      verdict: 'wrong_answer',
      diff: reason,
      suspicious: reason,
    })
  })

  it('is never passed without both exit code 0 and a report', () => {
    const status = fc.constantFrom<ExecutedStatus>(
      'execution_error',
      'compile_error',
      'timeout',
      'memory_exceeded',
      'output_exceeded',
    )
    const words = fc.string({ unit: fc.constantFrom('passed', 'isopod: own', '\n', 'OK', 'own', ' ') })
    const assertion = fc.option(fc.array(words), { nil: undefined })
    fc.assert(
      fc.property(status, fc.nat(255), words, fc.option(words, { nil: undefined }), assertion, (...given) => {
        const [ending, exitCode, stderr, report, texts] = given
        const bad = { status: ending, exitCode, errorMessage: null, stderr, report }
        expect(judgeScript(bad, texts).verdict).not.toBe('passed')
        expect(judgeScript({ ...bad, status: 'success', report: undefined }, texts).verdict).not.toBe(
          'passed',
        )
      }),
    )
  })

  it.each<[string, ScriptRun, readonly string[] | undefined, string]>([
    [
      'an assertion that did not hold',
      ended({ stderr: 'AssertionError: 1' }),
      ['AssertionError'],
      'wrong_answer',
    ],
    ['another error', ended({ stderr: 'KeyError: 1' }), ['AssertionError'], 'runtime_error'],
    ['an exit code without known words', ended({ exitCode: 3 }), undefined, 'wrong_answer'],
    ['a signal without known words', ended({ exitCode: null }), undefined, 'runtime_error'],
    ['a compile error', ended({ status: 'compile_error' }), undefined, 'runtime_error'],
    ['a timeout', ended({ status: 'timeout', stderr: 'AssertionError' }), ['AssertionError'], 'timeout'],
  ])('distinguishes a failure by %s', (_, run, assertion, verdict) => {
    expect(judgeScript(run, assertion).verdict).toBe(verdict)
  })

  it('has only the last lines of a failed script’s output', () => {
    const stderr = `${'x'.repeat(1000)}\nValueError: 7\n`
    const { diff } = judgeScript(ended({ stderr }), [])
    expect(diff).toMatch(/^Program exited with code 1\n…x+\nValueError: 7$/)
    expect(diff?.length).toBeLessThan(400)
  })

  it('is suspicious if the harness reports tampering, in Isopod’s own words', () => {
    expect(judgeScript({ ...through, report: 'own\n<b>other</b>' }, [])).toEqual({
      verdict: 'passed',
      diff: null,
      suspicious: 'an answer is compared by code of its own',
    })
  })

  it('is wrong_answer if the harness ended the script', () => {
    const stderr = 'noise\n\nisopod: builtins equality\n'
    const { verdict, suspicious } = judgeScript(ended({ exitCode: 97, stderr }), [])
    expect(verdict).toBe('wrong_answer')
    expect(suspicious).toMatch(/^an answer says .*; it changed built-in functions/)
    expect(judgeScript(ended({ exitCode: 97, stderr: 'isopod' }), [])).not.toHaveProperty('suspicious')
  })
})
