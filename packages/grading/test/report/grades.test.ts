import type { Result, TestResult } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { sampleResult } from '../../../../test/support/samples.ts'
import {
  cost,
  type GradedSample,
  Grades,
  humanEvalResult,
  reportPage,
  SAMPLE_VERDICTS,
  sampleVerdict,
} from '../../src/index.ts'

function test(changes: Partial<TestResult>): TestResult {
  const measured = { wallMs: 20, cpuMs: 10, memoryPeakBytes: 1e7 }
  return { name: '1', verdict: 'passed', exitCode: 0, signal: null, diff: null, ...measured, ...changes }
}

const result = (changes: Partial<Result>) =>
  sampleResult({ stdout: '', wallMs: 5, memoryPeakBytes: 7, ...changes })

function sample(changes: Partial<GradedSample>): GradedSample {
  return {
    number: 1,
    problem: 'p',
    verdict: 'passed',
    code: 'x',
    result: result({ tests: [test({})] }),
    ...changes,
  }
}

const PAGE = {
  title: 't',
  batch: 'b',
  madeAt: 'now',
  settings: [],
  withoutSamples: [],
  retriedFaults: 0,
  passAt: {},
}

describe('the row of a problem', () => {
  it.each<[string, GradedSample['verdict'][], string, string]>([
    ['that passed, but for a fault', ['passed', 'fault'], 'passed fault', '100.0 %'],
    ['whose answer was known after one', ['passed', 'skipped', 'skipped'], 'passed', '100.0 %'],
    ['with one of two', ['passed', 'timeout'], 'open', '50.0 %'],
    ['without a verdict', ['fault', 'skipped'], 'unsolved fault', '–'],
  ])('%s counts what was judged', (_, verdicts, kinds, share) => {
    const grades = new Grades()
    for (const [at, verdict] of verdicts.entries()) grades.add(sample({ number: at + 1, verdict }))
    const page = [...reportPage(grades, PAGE)].join('')
    const [, shownKinds, shownShare] =
      /<tbody data-kinds="([^"]*)">.*?<td class="number" data-value="[^"]*">([^<]*)</s.exec(page) ?? []
    expect([shownKinds, shownShare]).toEqual([kinds, share])
    expect(page).not.toContain('did not pass; not shown')
  })
})

describe('the verdict on a sample', () => {
  it.each<[string, Parameters<typeof sampleVerdict>, string, string]>([
    ['that passed', ['passed', undefined], 'passed', 'passed'],
    ['that was not run', ['skipped', undefined], 'skipped', 'skipped'],
    [
      'without a verdict',
      ['fault', result({ errorMessage: 'no engine' })],
      'fault',
      'platform fault: no engine',
    ],
    ['whose result has expired', ['failed', undefined], 'failed', 'failed: failed, details expired'],
    [
      'is that of its first test that failed',
      ['failed', result({ tests: [test({}), test({ verdict: 'timeout' }), test({ verdict: 'skipped' })] })],
      'timeout',
      'timed out',
    ],
    [
      'that raised has the exception’s message to its last line',
      [
        'failed',
        result({
          tests: [test({ verdict: 'runtime_error', diff: 'Exit code 1\nTraceback\nmod.MyError: one\ntwo' })],
        }),
      ],
      'runtime_error',
      'failed: one\ntwo',
    ],
    [
      'whose assertion failed without a message has no more text',
      ['failed', result({ tests: [test({ verdict: 'wrong_answer', diff: 'x\nAssertionError' })] })],
      'wrong_answer',
      'failed: ',
    ],
    [
      'that printed wrong output has the first difference',
      [
        'failed',
        result({ tests: [test({ verdict: 'wrong_answer', diff: 'line 1: expected "1", got "2"' })] }),
      ],
      'wrong_answer',
      'failed: line 1: expected "1", got "2"',
    ],
    [
      'that did not compile',
      ['failed', result({ status: 'compile_error' })],
      'compile_error',
      'failed: compile error',
    ],
    [
      'that did not compile has the compiler’s first error',
      [
        'failed',
        result({
          status: 'compile_error',
          stderr: "main.c: In function 'main':\nmain.c:1:5: error: expected ';'\n",
          tests: [test({ verdict: 'runtime_error', diff: 'Compilation failed: Program exited with code 1' })],
        }),
      ],
      'compile_error',
      "failed: main.c:1:5: error: expected ';'",
    ],
    [
      'that the policy refused has the reason',
      ['failed', result({ status: 'validation_error', errorMessage: 'Blocked import: os' })],
      'refused',
      'failed: Blocked import: os',
    ],
    ['that was refused', ['failed', result({ status: 'validation_error' })], 'refused', 'failed: refused'],
    [
      'that only a failed judge kept from passing',
      ['failed', result({ tests: [test({}), test({ verdict: 'judge_error', diff: 'it crashed\nhere' })] })],
      'judge_error',
      'judge error: it crashed',
    ],
    [
      'that is excluded and has expired',
      ['excluded', undefined],
      'judge_error',
      'judge error: details expired',
    ],
    [
      'that also failed a test has the verdict of that test',
      [
        'failed',
        result({
          tests: [
            test({ verdict: 'judge_error', diff: 'it' }),
            test({ verdict: 'wrong_answer', diff: 'no' }),
          ],
        }),
      ],
      'wrong_answer',
      'failed: no',
    ],
    [
      'without tests is derived from its status',
      ['failed', result({ status: 'execution_error' })],
      'runtime_error',
      'failed: runtime error',
    ],
  ])('%s', (_, args, verdict, words) => {
    const given = sampleVerdict(...args)
    expect(given).toBe(verdict)
    expect(humanEvalResult(given, args[1])).toBe(words)
  })

  it('has a message of bounded length, whatever the program raised', () => {
    const reported = result({
      tests: [test({ verdict: 'runtime_error', diff: `ValueError: ${'x'.repeat(1e6)}` })],
    })
    expect(humanEvalResult('runtime_error', reported).length).toBeLessThanOrEqual(508)
    const nested = `${'a.'.repeat(100_000)}Error`
    expect(humanEvalResult('runtime_error', result({ stderr: nested }))).toBe('failed: runtime error')
  })
})

describe('Grades', () => {
  it('counts faults and skipped samples without measuring them', () => {
    const grades = new Grades()
    grades.add(sample({}))
    grades.add(sample({ number: 2, verdict: 'fault', result: result({ errorMessage: 'gone' }) }))
    grades.add(sample({ number: 3, verdict: 'skipped', result: undefined }))
    expect(grades.counts).toMatchObject({ passed: 1, fault: 1, skipped: 1 })
    expect(grades.times).toEqual([{ value: 20, passed: true }])
    expect(grades.faults).toEqual([{ number: 2, problem: 'p', verdict: 'fault', text: 'gone' }])
  })

  it('has a colour for each verdict', () => {
    const page = [...reportPage(new Grades(), PAGE)].join('')
    for (const verdict of SAMPLE_VERDICTS) expect(page).toContain(`.v-${verdict} {`)
  })

  it('lists unverified samples', () => {
    const unclear = result({ tests: [test({ verdict: 'unverified', diff: 'line 2: only the code' })] })
    const grades = new Grades()
    grades.add(sample({ verdict: 'unverified', result: unclear }))
    expect(grades.unverified).toMatchObject([{ verdict: 'unverified', text: 'line 2: only the code' }])
    expect([...reportPage(grades, PAGE)].join('')).toContain('line 2: only the code')
  })

  // promise: judge-errors
  it('lists judge errors, and leaves excluded ones out of the share of passed samples', () => {
    const broken = result({ tests: [test({ verdict: 'judge_error', diff: 'it crashed' })] })
    for (const excluded of [false, true]) {
      const grades = new Grades()
      grades.add(sample({}))
      grades.add(sample({ number: 2, verdict: 'judge_error', result: broken, excluded }))
      expect(grades.judgeErrors).toEqual([
        { number: 2, problem: 'p', verdict: 'judge_error', text: 'it crashed' },
      ])
      const page = [...reportPage(grades, PAGE)].join('')
      expect(page).toContain(
        `programs that judge failed; ${excluded ? 'not counted' : 'counted as not passed'}`,
      )
      expect(page).toContain(`data-kinds="${excluded ? 'passed' : 'open'} judge-error"`)
      expect(page).toContain('it crashed')
    }
  })

  // promise: split-judging
  it('counts by language where the scripts of its samples ran', () => {
    const grades = new Grades()
    const ran = (language: string, separation: 'process' | 'both' | 'none') =>
      sample({ result: result({ language, tests: [test({ separation })] }) })
    for (const each of [ran('python@3', 'process'), ran('python@3', 'none'), ran('ruby@3', 'none')])
      grades.add(each)
    grades.add(sample({}))
    expect(Object.fromEntries(grades.separations)).toEqual({
      'python@3': { process: 1, both: 0, none: 1 },
      'ruby@3': { process: 0, both: 0, none: 1 },
    })
    const page = [...reportPage(grades, PAGE)].join('')
    expect(page.match(/none: in the process of the code/g)).toHaveLength(2)
  })

  it('measures a sample by its slowest and its largest test, or by its run without tests', () => {
    const tests = [test({ wallMs: 3, memoryPeakBytes: 9 }), test({ wallMs: 8, memoryPeakBytes: null })]
    expect(cost({ result: result({ tests }) })).toEqual({ wallMs: 8, memoryPeakBytes: 9 })
    expect(cost({ result: result({}) })).toEqual({ wallMs: 5, memoryPeakBytes: 7 })
    expect(cost({ result: undefined })).toEqual({ wallMs: null, memoryPeakBytes: null })
  })

  it.each(['__proto__', 'constructor', 'toString'])(
    'keeps a problem called %s separate from others',
    (problem) => {
      const grades = new Grades()
      grades.add(sample({ problem }))
      expect([...grades.problems.keys()]).toEqual([problem])
      expect([...reportPage(grades, PAGE)].join('')).toContain(`<th scope="row">${problem}</th>`)
    },
  )

  it('keeps a bounded amount of program output, and counts what it left out', () => {
    const grades = new Grades()
    const wordy = 'w'.repeat(20_000)
    for (let number = 1; number <= 10_000; number++) {
      const reported = result({
        stdout: wordy,
        stderr: wordy,
        tests: [test({ verdict: 'runtime_error', suspicious: 'odd' })],
      })
      grades.add(
        sample({
          number,
          problem: `p${number % 2_500}`,
          verdict: 'runtime_error',
          code: wordy,
          result: reported,
        }),
      )
    }
    const kept = [...grades.problems.values()].reduce((sum, { details }) => sum + details.length, 0)
    expect(kept + grades.detailsLeftOut).toBe(10_000)
    expect(grades.suspicious).toHaveLength(200)
    expect(grades.suspiciousCount).toBe(10_000)
    expect([...reportPage(grades, PAGE)].join('').length).toBeLessThan(10_000_000)
  })

  it('renders a page without samples', () => {
    expect([...reportPage(new Grades(), PAGE)].join('')).toContain('Nothing ran.')
  })
})
