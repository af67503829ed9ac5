import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExecutedStatus, judgeScript, type ScriptRun } from '../../src/index.ts'

const through: ScriptRun = { status: 'success', exitCode: 0, errorMessage: null, stderr: '', report: '' }

function ended(changes: Partial<ScriptRun>): ScriptRun {
  const errorMessage = `Program exited with code ${changes.exitCode ?? 1}`
  return { status: 'execution_error', exitCode: 1, errorMessage, stderr: '', report: undefined, ...changes }
}

describe('a script', () => {
  it('passes with exit code 0 and its report', () => {
    expect(judgeScript(through, [])).toEqual({ verdict: 'passed', diff: null })
  })

  it('is suspicious, and passes not, with exit code 0 and no report', () => {
    const reason = 'ended with exit code 0 before its tests came to their end'
    expect(judgeScript({ ...through, report: undefined }, undefined)).toEqual({
      verdict: 'wrong_answer',
      diff: reason,
      suspicious: reason,
    })
  })

  it('never passes but with exit code 0 and a report, whatever else there is', () => {
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
    ['an exit code where no words are known', ended({ exitCode: 3 }), undefined, 'wrong_answer'],
    ['a signal where no words are known', ended({ exitCode: null }), undefined, 'runtime_error'],
    ['a compiler that refuses it', ended({ status: 'compile_error' }), undefined, 'runtime_error'],
    ['its time', ended({ status: 'timeout', stderr: 'AssertionError' }), ['AssertionError'], 'timeout'],
  ])('fails by %s', (_, run, assertion, verdict) => {
    expect(judgeScript(run, assertion).verdict).toBe(verdict)
  })

  it('reports only the last lines of what failed', () => {
    const stderr = `${'x'.repeat(1000)}\nValueError: 7\n`
    const { diff } = judgeScript(ended({ stderr }), [])
    expect(diff).toMatch(/^Program exited with code 1\n…x+\nValueError: 7$/)
    expect(diff?.length).toBeLessThan(400)
  })

  it('is marked by what its harness noticed, in words of ours alone', () => {
    expect(judgeScript({ ...through, report: 'own\n<b>other</b>' }, [])).toEqual({
      verdict: 'passed',
      diff: null,
      suspicious: 'an answer is compared by code of its own',
    })
  })

  it('is wrong where its harness ended it', () => {
    const stderr = 'noise\n\nisopod: builtins equality\n'
    const { verdict, suspicious } = judgeScript(ended({ exitCode: 97, stderr }), [])
    expect(verdict).toBe('wrong_answer')
    expect(suspicious).toMatch(/^an answer says .*; it changed built-in functions/)
    expect(judgeScript(ended({ exitCode: 97, stderr: 'isopod' }), [])).not.toHaveProperty('suspicious')
  })
})
