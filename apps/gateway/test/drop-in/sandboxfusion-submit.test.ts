import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { sampleResult } from '../../../../test/support/samples.ts'
import { RequestRefused } from '../../src/http/problem.ts'
import { parseFields } from '../../src/routes/drop-in/field-errors.ts'
import { extractCode } from '../../src/routes/drop-in/sandboxfusion/extract-code.ts'
import { sandboxFusionRefusal } from '../../src/routes/drop-in/sandboxfusion/refusals.ts'
import { gradingOf, jobOfGrading } from '../../src/routes/drop-in/sandboxfusion/submit-job.ts'
import { submitSchema } from '../../src/routes/drop-in/sandboxfusion/submit-request.ts'
import { submitResponse } from '../../src/routes/drop-in/sandboxfusion/submit-response.ts'

describe('the code of a completion', () => {
  const two = 'a\n```python\nfirst\n```\nb\n```js\nsecond\n```\n'
  it.each([
    ['x = 1', 'python', 'x = 1', 'heuristic'],
    ['say:\n```python\nx = 1\n```\nend', 'python', 'x = 1\n', 'fenced'],
    [two, 'nodejs', 'second\n', 'fenced'],
    [two, 'rust', 'first\n', 'fenced'],
    ['```py\nx = 1', 'python', 'x = 1\n', 'incomplete_fenced'],
    ['```\nx\r\n```', 'python', 'x\r\n', 'fenced'],
    ['``` python\n  \n```', 'python', '', 'empty'],
    ['  \n', 'python', '', 'empty'],
    ['use `x` and ```y``` in it', 'python', 'use `x` and ```y``` in it', 'heuristic'],
  ])('%j in %s is %j, %s', (completion, language, code, type) => {
    expect(extractCode(completion, language)).toEqual({ code, type })
  })

  it('is found for a language named like a method of Object', () => {
    expect(extractCode(two, 'constructor')).toEqual({ code: 'first\n', type: 'fenced' })
    const labels = { programming_language: 'constructor', execution_language: 'python' }
    expect(gradingOf(parse(ours('AutoEvalDataset', { labels, test: { code: 'x' } }))).language).toBe('python')
  })

  it('is the code block that the configuration selects, or all of them', () => {
    expect(extractCode(two, 'python', { index: 1 }).code).toBe('second\n')
    expect(extractCode(two, 'python', { index: -2 }).code).toBe('first\n')
    expect(extractCode(two, 'python', { index: 5 })).toEqual({ code: '', type: 'empty' })
    expect(extractCode(two, 'rust', { mode: 'all' }).code).toBe('first\nsecond\n')
  })

  it('is found in linear time: a slower search of this long completion exceeds the test’s timeout', () => {
    expect(extractCode('```\n'.repeat(300_000), 'python', { mode: 'all' })).toBeDefined()
    const labels = { programming_language: 'cpp' }
    const request = ours('AutoEvalDataset', { labels, test: { code: 'x' } })
    gradingOf(parse({ ...request, completion: `${'\n'.repeat(1_000_000)}x` }))
  })
})

const parse = (body: unknown) => parseFields(submitSchema, body)

/** The status and body of the refusal that the caller receives. */
function refused(body: unknown): unknown {
  try {
    const request = parse(body)
    jobOfGrading(gradingOf(request), request)
  } catch (error) {
    if (error instanceof RequestRefused) return sandboxFusionRefusal(error)
    throw error
  }
  return 'accepted'
}

const row = { id: 1, test: ['assert f() == 1'], labels: '{"test_setup_code": "x = 1"}' }
const mbpp = { dataset: 'mbpp', id: 1, completion: 'def f(): return 1', config: { provided_data: row } }
const ours = (dataset_type: string, provided_data: unknown, more: object = {}) => ({
  ...{ dataset: 'ours', id: 1, completion: 'x', config: { dataset_type, provided_data, ...more } },
})

describe('a SandboxFusion submit request', () => {
  it('becomes a job of the completion’s code and the row’s tests', () => {
    const request = parse(mbpp)
    const grading = gradingOf(request)
    expect(jobOfGrading(grading, request)).toEqual({
      ...{ language: 'python', code: 'def f(): return 1' },
      tests: [{ script: 'x = 1\nassert f() == 1' }],
      limits: { timeoutSeconds: 20, outputBytes: 1024 * 1024 },
    })
    expect(grading.fullCode).toBe('def f(): return 1\nx = 1\nassert f() == 1')
  })

  it('selects the row with its id, also from rows given as JSON text', () => {
    const other = { id: 2, test: JSON.stringify(['assert f() == 2']) }
    const both = parse({ ...mbpp, id: '2', config: { provided_data: [row, other] } })
    expect(gradingOf(both).tests).toEqual([{ script: '\nassert f() == 2' }])
  })

  it('of HumanEval includes the imports and helpers of the prompt', () => {
    const content = 'import math\n\ndef help(): return 1\n\ndef f():\n    """One."""\n'
    const provided_data = { content, test: 'def check(f): assert f() == help()', entry_point: 'f' }
    const grade = (completion: string, extra: object = {}) =>
      gradingOf(parse({ dataset: 'humaneval', id: 0, completion, config: { provided_data, extra } }))
    expect(grade('    return 1\n\nprint(f())\n')).toMatchObject({
      code: `${content}    return 1\n`,
      tests: [{ script: 'def check(f): assert f() == help()\ncheck(f)' }],
    })
    const whole = 'import math\n\ndef f():\n    return 1\n'
    const head = 'import math\n\ndef help(): return 1\n\n'
    expect(grade(whole).code).toBe(`${head}${whole}`)
    expect(grade('f = lambda: 1', { is_freeform: true }).code).toBe(`${head}f = lambda: 1`)
  })

  it('of HumanEval leaves every reference solution unchanged', () => {
    const packed = readFileSync(new URL('../../../../test/data/HumanEval.jsonl.gz', import.meta.url))
    const lines = gunzipSync(packed).toString().trim().split('\n')
    expect(lines).toHaveLength(164)
    for (const provided_data of lines.map((line) => JSON.parse(line))) {
      const { prompt, canonical_solution: completion } = provided_data
      const request = { dataset: 'humaneval', id: 0, completion, config: { provided_data } }
      expect(gradingOf(parse(request)).code.trimEnd()).toBe(`${prompt}${completion}`.trimEnd())
    }
  })

  it.each([
    [
      { ...mbpp, dataset: 'mhpp' },
      ['dataset'],
      /"mhpp" is not supported: config.dataset_type is one of HumanEvalDataset, MBPP/,
    ],
    [ours('CruxEvalDataset', row), ['config', 'dataset_type'], /"CruxEvalDataset" is not supported/],
    [{ ...mbpp, dataset: 'constructor' }, ['dataset'], /not supported/],
    [{ ...mbpp, config: {} }, ['config', 'provided_data'], /^Field required: no data set is kept here/],
    [{ ...mbpp, config: { provided_data: 'x' } }, ['config', 'provided_data'], /valid dictionary/],
    [
      { ...mbpp, config: { provided_data: [row, row] }, id: 9 },
      ['config', 'provided_data'],
      /no row with the id "9"/,
    ],
    [{ ...mbpp, config: { provided_data: {} } }, ['config', 'provided_data', 'test'], /at least one assert/],
    [
      { ...mbpp, config: { provided_data: { test: '{' } } },
      ['config', 'provided_data', 'test'],
      /list of asserts/,
    ],
    [
      { ...mbpp, config: { provided_data: row, custom_extract_logic: 'x' } },
      ['config', 'custom_extract_logic'],
      /not supported/,
    ],
    [
      { ...mbpp, config: { provided_data: row, run_timeout: 0 } },
      ['config', 'run_timeout'],
      /from 0.1 to 300/,
    ],
    [{ ...mbpp, completion: 7 }, ['completion'], /valid string/],
    [
      ours('CommonOJDataset', { test: [{ input: {}, output: { stdout: '' } }] }),
      ['config', 'language'],
      /Field required/,
    ],
    [
      ours('CommonOJDataset', { test: [] }, { language: 'python' }),
      ['config', 'provided_data', 'test'],
      /at least one test/,
    ],
    [
      ours(
        'CommonOJDataset',
        { test: [{ input: {}, output: { stdout: '', 'a.txt': '' } }] },
        { language: 'python' },
      ),
      ['config', 'provided_data', 'test[0]', 'output'],
      /stdout alone/,
    ],
    [
      ours('AutoEvalDataset', { labels: { programming_language: 'go' }, test: { code: 'x' } }),
      ['config', 'provided_data', 'labels', 'programming_language'],
      /go is not supported/,
    ],
    [
      { ...mbpp, config: { provided_data: [row, { id: { toString: 1, valueOf: 1 } }] }, id: 9 },
      ['config', 'provided_data'],
      /no row with the id "9"/,
    ],
    [
      {
        ...ours('AutoEvalDataset', {
          labels: { programming_language: 'python' },
          test: { code: '#<INSERT>'.repeat(1000) },
        }),
        completion: 'x'.repeat(100_000),
      },
      ['config', 'provided_data', 'test', 'code'],
      /at most 1048576 bytes with the code inserted/,
    ],
    [
      ours('AutoEvalDataset', {
        labels: { programming_language: 'python' },
        test: { code: 'x', asset: { '../x': '' } },
      }),
      ['config', 'provided_data', 'test', 'asset'],
      /relative path/,
    ],
    [
      {
        ...mbpp,
        dataset: 'humaneval',
        config: { provided_data: { content: '', test: 'x', entry_point: 'f()' } },
      },
      ['config', 'provided_data', 'labels', 'entry_point'],
      /name of a function/,
    ],
    [null, [], /./],
  ])('that is not valid is refused with its field (%#)', (body, location, message) => {
    expect(refused(body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', ...location], msg: expect.stringMatching(message) }] },
    })
  })
})

describe("SandboxFusion's submit answer", () => {
  const request = parse(mbpp)
  const grading = gradingOf(request)

  it.each(['setup_error', 'cancelled'] as const)(
    'is 503 for a result with %s, so that the client asks again',
    (status) => {
      const fault = sampleResult({ status, errorMessage: 'the engine is unavailable' })
      expect(() => submitResponse(request, grading, fault)).toThrow(
        expect.objectContaining({ status: 503, detail: 'the engine is unavailable' }),
      )
    },
  )

  it('is 422 for a job above the deployment’s limits', () => {
    const refusal = sampleResult({ status: 'validation_error', errorMessage: 'limits: too much' })
    expect(() => submitResponse(request, grading, refusal)).toThrow(expect.objectContaining({ status: 422 }))
  })

  it('rejects source that the policy refused', () => {
    const found = sampleResult({
      status: 'validation_error',
      validationErrors: ['line 1: os'],
      errorMessage: 'os',
    })
    expect(submitResponse(request, grading, found)).toMatchObject({
      accepted: false,
      tests: [{ passed: false, exec_info: { status: 'Failed', run_result: null } }],
    })
  })
})
