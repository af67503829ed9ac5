import type { SplitReport } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { composeSplit } from '../../src/script/compose-split.ts'
import { judgeSplit, readSplitReport } from '../../src/script/judge-split.ts'

const code = { status: 'success', exitCode: 0, errorMessage: null, stderr: '' } as const
const killed = { status: 'timeout', exitCode: null, errorMessage: 'too slow', stderr: '' } as const

const FAILED = { end: 'failed', message: 'no file' } as const
const EXHAUSTED = { end: 'exhausted', message: 'no memory' } as const

function report(end: SplitReport['end']): SplitReport {
  return { end, message: 'because', stdout: '', printed: 0 }
}

describe('the verdict of a script in a process of its own', () => {
  it.each([
    ['passed', 'passed'],
    ['assertion', 'wrong_answer'],
    ['error', 'runtime_error'],
    ['unverified', 'unverified'],
    ['broken', 'judge_error'],
    ['lost', 'wrong_answer'],
  ] as const)('of a judge that says %s is %s', (end, verdict) => {
    expect(judgeSplit(code, report(end), '').verdict).toBe(verdict)
  })

  it('is how the code ended, if it ended before the script or badly after it', () => {
    for (const each of [report('passed'), report('lost'), FAILED, EXHAUSTED]) {
      expect(judgeSplit(killed, each, '')).toEqual({ verdict: 'timeout', diff: 'too slow' })
    }
  })

  it('is an error of the judge if it gave no report, and the code ended well', () => {
    expect(judgeSplit(code, FAILED, '')).toEqual({
      verdict: 'judge_error',
      diff: 'the judge failed: no file',
    })
  })

  it('is unverified if the judge ran out of something, because a value of the code can be the cause', () => {
    expect(judgeSplit(code, EXHAUSTED, '')).toEqual({
      verdict: 'unverified',
      diff: 'the judge failed: no memory',
    })
  })

  it('is suspicious if the code ended well, but before its tests did', () => {
    expect(judgeSplit(code, report('lost'), '').suspicious).toMatch(/ended, or sent what is no answer/)
  })

  it('is unverified if an assertion failed in a function that the code may call to handle its errors', () => {
    const failed = { ...report('assertion'), inCallback: true }
    for (const source of ['try { f() } catch {}', 'except ValueError:', 'await Promise.allSettled(all)']) {
      expect(judgeSplit(code, failed, source).verdict).toBe('unverified')
      expect(judgeSplit(code, report('assertion'), source).verdict).toBe('wrong_answer')
    }
    expect(judgeSplit(code, failed, 'for x in xs: f(x)').verdict).toBe('wrong_answer')
  })
})

describe('the report of a judge', () => {
  it('is read', () => {
    expect(readSplitReport(Buffer.from(JSON.stringify(report('passed'))))).toEqual(report('passed'))
  })

  it.each(['', '{', '[]', '{"end":"passed"}', '{"end":"won","message":"","stdout":"","printed":0}'])(
    'is none: %s',
    (text) => {
      expect(readSplitReport(Buffer.from(text))).toBeUndefined()
    },
  )
})

describe('the main file of a split test', () => {
  it('has its texts as JSON, without their placeholders being filled', () => {
    const main = 'a({library_json}, {code_json}, {other_json})'
    expect(composeSplit(main, '"{code_json}"', { code: '$& "{library_json}"\ud800' })).toBe(
      'a("{code_json}", "$& \\"{library_json}\\"\ufffd", {other_json})',
    )
  })
})
