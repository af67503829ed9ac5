import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Checker,
  check,
  DATASETS,
  type Dataset,
  DatasetError,
  gradingJob,
  ProblemSet,
  parseRecord,
  referenceOf,
} from '../../src/index.ts'

const PLACE = { file: 'set.jsonl', line: 3 }
const HUMANEVAL = {
  task_id: 'HumanEval/0',
  prompt: 'def f(x):\n',
  entry_point: 'f',
  canonical_solution: '    return x\n',
  test: 'def check(candidate):\n    assert candidate(1) == 1\n',
}
const MBPP = { task_id: 2, text: 'Write f.', code: 'def f(x): return x', test_list: ['assert f(1) == 1'] }
const MULTIPL_E = {
  name: 'HumanEval_0_f',
  language: 'rb',
  prompt: 'def f(x)\n',
  tests: 'f(1)\n',
  stop_tokens: ['\nclass'],
}
const STDIN = { id: 'sum', language: 'python', tests: [{ stdin: '1 2', expected: '3' }] }
const HUMANEVAL_X = {
  task_id: 'Java/0',
  prompt: 'class Solution {\n',
  declaration: 'class Solution {\n',
  canonical_solution: '}',
  test: 'public class Main {\n}',
}
const BIGCODEBENCH = {
  task_id: 'BigCodeBench/0',
  complete_prompt: 'def f():\n',
  instruct_prompt: 'Write f.',
  canonical_solution: '    return 1\n',
  test: 'import unittest\nclass TestCases(unittest.TestCase):\n    pass\n',
  entry_point: 'f',
}
const LIVECODEBENCH = {
  question_id: 'a',
  question_content: 'Print 1.',
  public_test_cases: [{ input: '1 2\n', output: '3', testtype: 'stdin' }],
  private_test_cases: '',
  metadata: '{}',
}
const GOOD: Readonly<Record<Dataset, Readonly<Record<string, unknown>>>> = {
  humaneval: HUMANEVAL,
  mbpp: MBPP,
  'humaneval-x': HUMANEVAL_X,
  'multipl-e': MULTIPL_E,
  bigcodebench: BIGCODEBENCH,
  livecodebench: LIVECODEBENCH,
  'stdin-tests': STDIN,
}

function read(dataset: Dataset, value: unknown) {
  return new ProblemSet(dataset).add(value, PLACE)
}

function corpus(name: string): unknown[] {
  const packed = readFileSync(new URL(`../../../../test/data/${name}`, import.meta.url))
  return gunzipSync(packed)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

describe('the language of a job', () => {
  const languageOf = (dataset: Dataset, record: unknown) => {
    const problem = new ProblemSet(dataset).add(record, PLACE)
    return gradingJob(problem, { problem: problem.id, text: 'x', kind: 'whole', language: 'c' }).language
  }

  it('is that of the sample, for a program that reads stdin', () => {
    expect(languageOf('stdin-tests', STDIN)).toBe('c')
  })

  it('is that of the test script', () => {
    expect(languageOf('mbpp', MBPP)).toBe('python')
  })
})

describe('a record with numbers that only Python writes', () => {
  it('has null in their place, but not in texts', () => {
    const text = '{"id": 1, "logprob": NaN, "x": [-Infinity, Infinity], "code": "NaN \\" -Infinity"}'
    expect(parseRecord(text)).toEqual({ id: 1, logprob: null, x: [null, null], code: 'NaN " -Infinity' })
  })

  it('is refused if they are arguments', () => {
    expect(() => parseRecord('{"base_input": [[NaN]]}')).toThrow(SyntaxError)
  })
})

describe('a problem', () => {
  it('of HumanEval becomes prompt, completion, test and the call of check, in that order', () => {
    const problem = read('humaneval', HUMANEVAL)
    expect(problem).toMatchObject({ id: 'HumanEval/0', language: 'python', prompt: HUMANEVAL.prompt })
    expect(problem.tests).toEqual([{ script: `${HUMANEVAL.test}\ncheck(f)` }])
    expect(problem.reference).toBe('def f(x):\n    return x\n')
  })

  it('of MBPP becomes the solution, then imports and set-up, then every assertion', () => {
    const full = { ...MBPP, test_setup_code: 'y = 1', challenge_test_list: ['assert f(2) == 2'] }
    expect(read('mbpp', full).tests).toEqual([{ script: 'y = 1\nassert f(1) == 1\nassert f(2) == 2' }])
    const { text: _, ...rest } = MBPP
    const sanitized = { ...rest, prompt: 'Write f.', test_imports: ['import math'] }
    expect(read('mbpp', sanitized)).toMatchObject({
      id: '2',
      prompt: '',
      reference: MBPP.code,
      tests: [{ script: 'import math\n\nassert f(1) == 1' }],
    })
  })

  it('of MBPP+ is judged by its single large test', () => {
    const plus = { ...MBPP, task_id: 'Mbpp/2', test_imports: '["import math"]', test: 'assert f(9) == 9' }
    expect(read('mbpp', plus)).toMatchObject({
      id: '2',
      tests: [{ script: 'import math\n\nassert f(9) == 9' }],
    })
  })

  it('of MBPP+ has its imports parsed in linear time: a slower parser exceeds the timeout of this test', () => {
    expect(() => read('mbpp', { ...MBPP, test_imports: `['a'${"  'a'".repeat(10_000)}x]` })).not.toThrow()
  })

  it.each([
    ['rb', 'ruby'],
    ['go_test.go', 'go-test'],
    ['cpp', 'cpp'],
    ['__proto__', '__proto__'],
  ])('of MultiPL-E for %s has the language %s', (given, language) => {
    expect(read('multipl-e', { ...MULTIPL_E, language: given })).toMatchObject({
      language,
      prompt: 'def f(x)\n',
    })
  })

  it.each(['__proto__', 'constructor', 'toString'])(
    'can be called %s, and is found only if it was added',
    (name) => {
      const problems = new ProblemSet('humaneval')
      expect(problems.find(name)).toBeUndefined()
      problems.add({ ...HUMANEVAL, task_id: name }, PLACE)
      expect(problems.find(name)?.id).toBe(name)
    },
  )

  it('with stdin tests passes them on to the job unchanged', () => {
    const tests = [
      { stdin: '1', args: ['-v'], expected: '2', checker: 'exact', weight: 2, limits: { memoryMb: 64 } },
    ]
    expect(read('stdin-tests', { ...STDIN, tests }).tests).toEqual(tests)
    expect(read('stdin-tests', { ...STDIN, checker: 'numbers' }).tests).toEqual([
      { checker: 'numbers', stdin: '1 2', expected: '3' },
    ])
  })

  it('of APPS has its pairs of input and output, also if they are JSON text', () => {
    const pairs = { inputs: ['1\n', ['2', '3']], outputs: ['one', ['two', 'three']] }
    const wanted = [
      { stdin: '1\n', expected: 'one', checker: { type: 'numbers', absolute: 1e-5 } },
      { stdin: '2\n3', expected: 'two\nthree', checker: { type: 'numbers', absolute: 1e-5 } },
    ]
    const apps = { problem_id: 7, solutions: '["print(1)", "x"]' }
    expect(read('stdin-tests', { ...apps, input_output: pairs })).toMatchObject({
      id: '7',
      reference: 'print(1)',
      tests: wanted,
    })
    expect(read('stdin-tests', { ...apps, input_output: JSON.stringify(pairs) }).tests).toEqual(wanted)
  })

  it('of CodeContests has its public and private tests and its limits', () => {
    const problem = read('stdin-tests', {
      name: '1575_A',
      public_tests: { input: ['1'], output: ['a'] },
      private_tests: { input: ['2'], output: ['b'] },
      generated_tests: { input: [], output: [] },
      time_limit: { seconds: 2, nanos: 500_000_000 },
      memory_limit_bytes: 256_000_000,
    })
    expect(problem.tests.map(({ stdin }) => stdin)).toEqual(['1', '2'])
    expect(problem.limits).toEqual({ timeoutSeconds: 2.5, memoryMb: 245 })
    const [test] = problem.tests
    const passes = (expected: string, actual: string) =>
      check(test?.checker as Checker, expected, actual) === undefined
    // Like CodeContests' own grader: words in any case, and numbers within a tolerance.
    expect(passes('0.3333333333 YES', '0.3333333 Yes')).toBe(true)
    expect(passes('100000 YES', '100001 YES')).toBe(false)
    expect(passes('0.33333 YES', '0.33335 YES')).toBe(false)
  })

  it('of APPS and CodeContests uses the checker that its record names', () => {
    const apps = { problem_id: 7, input_output: { inputs: ['1'], outputs: ['one'] }, checker: 'exact' }
    expect(read('stdin-tests', apps).tests).toMatchObject([{ checker: 'exact' }])
    const contests = { name: 'a', public_tests: { input: ['1'], output: ['a'] }, checker: 'sorted' }
    expect(read('stdin-tests', contests).tests).toMatchObject([{ checker: 'sorted' }])
    expect(() => read('stdin-tests', { ...contests, checker: 'no such' })).toThrow(/checker: must be one of/)
  })
})

describe('an invalid record of a data set', () => {
  it.each<[Dataset, unknown, string]>([
    ['humaneval', [], 'record: must be an object, got a list of 0'],
    ['humaneval', { ...HUMANEVAL, prompt: 1 }, 'prompt: must be text, got 1'],
    ['humaneval', { ...HUMANEVAL, task_id: '' }, 'task_id: must be a text of 1 to 256 characters'],
    ['humaneval', { ...HUMANEVAL, task_id: undefined }, 'must have the field task_id'],
    [
      'humaneval',
      { ...HUMANEVAL, entry_point: 'f);x(' },
      'entry_point: must be the name of a function, got "f);x("',
    ],
    [
      'humaneval',
      { ...HUMANEVAL, test: undefined, base_input: [] },
      'base_input: must be a list of at least one input, got a list of 0',
    ],
    ['mbpp', { ...MBPP, test_list: [] }, 'test_list: must be a list of at least one assert, got a list of 0'],
    ['mbpp', HUMANEVAL, 'test_list: must be a list of at least one assert, got nothing'],
    ['mbpp', { ...MBPP, test_list: ['x', null] }, 'test_list[1]: must be text, got null'],
    ['multipl-e', { ...MULTIPL_E, tests: null }, 'tests: must be text, got nothing'],
    ['stdin-tests', { id: 'a' }, 'must have one of the fields tests, input_output, public_tests'],
    ['stdin-tests', { ...STDIN, tests: [] }, 'tests: must be at least one test'],
    [
      'stdin-tests',
      { ...STDIN, tests: [{ stdin: 1 }] },
      'tests.0.stdin: must be text of at most 1 MiB, got 1',
    ],
    [
      'stdin-tests',
      { ...STDIN, tests: [{ input: '1' }] },
      'tests.0.input: unknown field; the fields are name',
    ],
    ['stdin-tests', { ...STDIN, limits: { memoryMb: -1 } }, 'limits.memoryMb: must be a whole number'],
    ['stdin-tests', { ...STDIN, tests: undefined, input_output: '{' }, 'input_output: must be JSON, got "{"'],
    [
      'stdin-tests',
      { ...STDIN, tests: undefined, input_output: { fn_name: 'f;', inputs: [], outputs: [] } },
      'input_output.fn_name: must be the name of a function, got "f;"',
    ],
    [
      'stdin-tests',
      { ...STDIN, tests: undefined, input_output: { fn_name: 'f', inputs: [1], outputs: [1] } },
      'input_output.inputs[0]: must be a list of arguments, got 1',
    ],
    [
      'humaneval-x',
      { ...HUMANEVAL_X, task_id: 'Cobol/0' },
      'task_id: must be Python, CPP, Java, JavaScript, Go, Rust and a number, got "Cobol/0"',
    ],
    ['bigcodebench', { ...BIGCODEBENCH, test: 'x' }, 'test: must define the class TestCases, got "x"'],
    [
      'livecodebench',
      { ...LIVECODEBENCH, private_test_cases: 'gASVBQ==' },
      'private_test_cases: must be JSON, or base64 of a zlib stream of a pickled text, got "gASVBQ=="',
    ],
    [
      'livecodebench',
      { ...LIVECODEBENCH, metadata: { func_name: 'f' } },
      'public_test_cases[0].input: must be JSON, got "1 2"',
    ],
    [
      'stdin-tests',
      { ...STDIN, tests: undefined, public_tests: { input: ['1'], output: [] } },
      'public_tests.output: must have as many entries as input, 1',
    ],
    ['humaneval', { ...HUMANEVAL, entry_point: '\u202e\u0007' }, '"\\u{202e}\\u0007"'],
  ])('of %s is refused by file, line and field: %j', (dataset, value, sentence) => {
    expect(() => read(dataset, value)).toThrow(DatasetError)
    expect(() => read(dataset, value)).toThrow(sentence)
    expect(() => read(dataset, value)).toThrow(/^set\.jsonl:3: /)
  })

  it('names both lines of a problem that appears twice', () => {
    const problems = new ProblemSet('mbpp')
    problems.add(MBPP, PLACE)
    expect(() => problems.add({ ...MBPP, task_id: 'Mbpp/2' }, { ...PLACE, line: 9 })).toThrow(
      'set.jsonl:9: the problem "2" is already on line 3',
    )
  })

  it.each(DATASETS)('of %s is refused with a sentence, whatever its fields contain', (dataset) => {
    const names = Object.keys(GOOD[dataset])
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constant(undefined),
      fc.constantFrom('[', '{"a":1}', '__proto__'),
    )
    const changes = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 4 })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          changes.map((changed) => ({ ...GOOD[dataset], ...changed })),
        ),
        (record) => {
          try {
            const problem = read(dataset, record)
            expect(problem.tests.length).toBeGreaterThan(0)
          } catch (error) {
            expect(error).toBeInstanceOf(DatasetError)
            expect((error as Error).message).toMatch(/^set\.jsonl:3: [^\n]+$/)
          }
        },
      ),
    )
  })
})

describe('the published data sets', () => {
  it.each<[Dataset, string, number]>([
    ['humaneval', 'HumanEval.jsonl.gz', 164],
    ['mbpp', 'mbpp.jsonl.gz', 974],
  ])('%s is read whole, each problem with its own solution', (dataset, name, count) => {
    const problems = new ProblemSet(dataset)
    for (const [index, value] of corpus(name).entries()) problems.add(value, { file: name, line: index + 1 })
    expect(problems.size).toBe(count)
    for (const problem of problems.all()) {
      const solution = referenceOf(problem)
      expect(solution?.text).toBeTruthy()
      expect(solution && gradingJob(problem, solution).code).toBe(problem.reference)
    }
  })
})
