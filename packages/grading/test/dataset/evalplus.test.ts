import { describe, expect, it } from 'vitest'
import { DatasetError, ProblemSet, parseRecord } from '../../src/index.ts'

const PLACE = { file: 'plus.jsonl', line: 2 }

function read(inputs: string, more: Readonly<Record<string, unknown>> = {}) {
  const others = {
    task_id: 'HumanEval/1',
    prompt: 'from typing import *\n\ndef f(x):\n',
    entry_point: 'f',
    canonical_solution: '    return x\n',
    contract: '',
    atol: 0,
    ...more,
  }
  const text = `{${JSON.stringify(others).slice(1, -1)}, ${inputs}}`
  const dataset = String(others.task_id).startsWith('Mbpp/') ? 'mbpp' : 'humaneval'
  return new ProblemSet(dataset).add(parseRecord(text), PLACE)
}

/** The calls of a script, in Python. */
function calls(script: string | undefined): string[] {
  return [...(script ?? '').matchAll(/^ {4}lambda: (.*),$/gm)].map(([, call = '']) => call)
}

describe('a problem of EvalPlus', () => {
  it('has base tests and further tests, and the canonical solution as its reference', () => {
    const problem = read('"base_input": [[1]], "plus_input": [[2], [3]]')
    expect(problem).toMatchObject({ id: 'HumanEval/1', language: 'python', baseTests: 1 })
    expect(problem.reference).toBe('from typing import *\n\ndef f(x):\n    return x\n')
    expect(problem.tests.map(({ name, script }) => [name, calls(script)])).toEqual([
      ['base', ['(1,)']],
      ['plus', ['(2,)', '(3,)']],
    ])
  })

  it('keeps floats, large integers and texts as they are written', () => {
    const [base] = read(
      String.raw`"base_input": [[1.0, 1, 1e2, -0.0, 123456789012345678901, "a\n\"é"]]`,
    ).tests
    expect(calls(base?.script)).toEqual([String.raw`(1.0, 1, 1e2, -0.0, 123456789012345678901, "a\n\"é")`])
    const [huge] = read(`"base_input": [[-1${'0'.repeat(5000)}]]`).tests
    expect(calls(huge?.script)[0]).toMatch(/^\(-0x[0-9a-f]+,\)$/)
  })

  it.each([
    [2, '[[[1], [2]]]', '((1,), (2,))'],
    [63, '[[[[1, 2]]]]', '([(1, 2)],)'],
    [75, '[[[[1, 2]], 3]]', '([(1, 2)], 3)'],
    [106, '[[[1], [2]]]', '([1], (2,))'],
    [115, '[[[[1, 2], []]]]', '([{1, 2}, {}],)'],
    [124, '[["1", "2j"]]', '(float("1"), complex("2j"))'],
    [252, '[["1j"]]', '(complex("1j"),)'],
    [259, '[[[[1, 2]], [[3]]]]', '(((1, 2),), ((3,),))'],
    [307, '[[[1], 2, [3]]]', '((1,), 2, [3])'],
    [722, '[[{"a": [1, 2]}, 3]]', '({"a": (1, 2)}, 3)'],
    [580, '[[[1, [2, [3]]]]]', '((1, (2, (3,))),)'],
    [3, '[[[1], null, true]]', '([1], None, True)'],
  ])('of MBPP with number %i has the types of its arguments: %s', (number, inputs, call) => {
    const [base] = read(`"base_input": ${inputs}`, { task_id: `Mbpp/${number}` }).tests
    expect(calls(base?.script)).toEqual([call])
  })

  it('is compared by the rule of its function where there are many right results', () => {
    const script = (entry: string, task = 'Mbpp/9') =>
      read('"base_input": [[1]]', { task_id: task, entry_point: entry }).tests[0]?.script
    expect(script('Diff')).toContain('_held = set(_actual) == set(_expected)\n')
    expect(script('Diff', 'HumanEval/9')).toContain('_held = _actual == _expected\n')
    expect(script('sum_div')).toContain('_held = _actual == _expected or _actual == 0\n')
    expect(script('check_str')).toContain('    _expected = _expected is not None\n')
    expect(script('find_zero', 'HumanEval/32')).not.toContain('_close(_actual')
    expect(script('constructor')).toContain('_held = _actual == _expected\n')
  })

  it('has its tests split where the inputs are large', () => {
    const long = JSON.stringify('x'.repeat(60_000))
    const { tests, baseTests } = read(`"base_input": [[${long}], [${long}], [${long}]], "plus_input": {}`)
    expect([tests.map(({ name }) => name), baseTests]).toEqual([['base', 'base 2'], 2])
  })

  it.each([
    ['"base_input": [1]', {}, 'base_input[0]: must be a list of arguments, got 1'],
    ['"base_input": 7', {}, 'base_input: must be a list of inputs, got 7'],
    ['"base_input": [[1]]', { atol: 'x' }, 'atol: must be a number, got "x"'],
    ['"base_input": [[1]]', { entry_point: 'f(' }, 'entry_point: must be the name of a function'],
    ['"base_input": [[1]]', { canonical_solution: 1 }, 'canonical_solution: must be text, got 1'],
  ])('is refused by file, line and field: %s %j', (inputs, more, sentence) => {
    expect(() => read(inputs, more)).toThrow(DatasetError)
    expect(() => read(inputs, more)).toThrow(`plus.jsonl:2: ${sentence}`)
  })
})
