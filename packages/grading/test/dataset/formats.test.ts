import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pickledText } from '../../src/dataset/pickled-text.ts'
import {
  type Dataset,
  gradingJob,
  ProblemSet,
  parseRecord,
  readSolutions,
  recognizeDataset,
  referenceOf,
} from '../../src/index.ts'

const PLACE = { file: 'set.jsonl', line: 1 }

function records(name: string): unknown[] {
  const text = readFileSync(new URL(`../../../../test/data/formats/${name}.jsonl`, import.meta.url), 'utf8')
  return text.trim().split('\n').map(parseRecord)
}

function problems(name: string): ProblemSet {
  const all = records(name)
  const set = new ProblemSet(recognizeDataset(all[0]) ?? expect.fail())
  for (const [index, value] of all.entries()) set.add(value, { file: name, line: index + 1 })
  return set
}

function read(dataset: Dataset, value: unknown) {
  return new ProblemSet(dataset).add(value, PLACE)
}

describe('the format of a data set', () => {
  it.each<[string, Dataset, number]>([
    ['evalplus-humaneval', 'humaneval', 2],
    ['evalplus-mbpp', 'mbpp', 2],
    ['livecodebench', 'livecodebench', 2],
    ['bigcodebench', 'bigcodebench', 1],
    ['apps', 'stdin-tests', 3],
    ['code-contests', 'stdin-tests', 1],
    ['humaneval-x', 'humaneval-x', 6],
    ['multipl-e', 'multipl-e', 18],
  ])('%s is recognized by its fields as %s, and its samples find their problems', (name, dataset, count) => {
    const set = problems(name)
    expect([set.dataset, set.size]).toEqual([dataset, count])
    for (const [index, value] of records(`${name}-samples`).entries()) {
      for (const solution of readSolutions(dataset, value, { file: name, line: index + 1 }))
        expect(set.find(solution.problem)?.tests.length).toBeGreaterThan(0)
    }
  })

  it.each([
    [{ task_id: 'HumanEval/0', prompt: '', entry_point: 'f', test: '' }, 'humaneval'],
    [{ task_id: 2, test_list: ['assert f()'] }, 'mbpp'],
    [{ task_id: 'Mbpp/2', prompt: '', entry_point: 'f', base_input: [] }, 'mbpp'],
    [{ name: 'a', language: 'rb', prompt: '', tests: '' }, 'multipl-e'],
    [{ id: 'a', language: 'c', tests: [{}] }, 'stdin-tests'],
    [{ id: 'a' }, undefined],
    [[], undefined],
    [null, undefined],
  ])('of %j is %s', (record, dataset) => {
    expect(recognizeDataset(record)).toBe(dataset)
  })
})

describe('a problem of LiveCodeBench', () => {
  const LIVE = { question_id: 'a', question_content: '', public_test_cases: '[]', metadata: '{}' }
  const tests = JSON.stringify([{ input: '1', output: '2', testtype: 'stdin' }])
  /** A pickle of protocol 4 with one text. */
  const pickle = (text: string) => {
    const bytes = Buffer.from(text)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(bytes.length)
    return Buffer.concat([Buffer.from([0x80, 4, 0x58]), size, bytes, Buffer.from([0x94, 0x2e])])
  }
  const packed = (bytes: Uint8Array) => deflateSync(bytes).toString('base64')

  it.each([
    ['plain JSON', tests],
    ['a packed pickle', packed(pickle(tests))],
  ])('has its private tests read from %s', (_, text) => {
    expect(read('livecodebench', { ...LIVE, private_test_cases: text }).tests).toEqual([
      { stdin: '1', expected: '2', checker: { type: 'numbers', absolute: 0, relative: 0 } },
    ])
  })

  it('is refused if its pickle is anything but one text', () => {
    // os.system('true') as a pickle of protocol 0.
    const calls = Buffer.from("cos\nsystem\n(S'true'\ntR.")
    const two = Buffer.concat([pickle('a').subarray(0, -1), pickle('b')])
    const list = Buffer.from([0x80, 4, 0x5d, 0x94, 0x2e])
    for (const bytes of [calls, two, list, pickle(tests).subarray(0, -1), Buffer.from([0x80])]) {
      expect(() => read('livecodebench', { ...LIVE, private_test_cases: packed(bytes) })).toThrow(
        'set.jsonl:1: private_test_cases: must be JSON, or base64 of a zlib stream of a pickled text',
      )
    }
  })

  it('calls its function with one JSON value per line, after the imports that its prompts promise', () => {
    const set = problems('livecodebench')
    const problem = set.find('own_b') ?? expect.fail()
    expect(problem.tests[0]?.script).toContain('_plain(_function([1, 1, 2], "x"))\nassert _result == [1, 3]')
    const solution = { problem: 'own_b', text: 'x', kind: 'whole', language: undefined } as const
    expect(gradingJob(problem, solution).code).toMatch(/^from string import \*\n[\s\S]*\nx$/)
    expect(gradingJob(problem, solution, { language: 'cpp' }).code).toBe('x')
  })

  it('keeps the tests that a job can have, and counts the others', () => {
    const large = { input: 'x'.repeat(1024 * 1024 + 1), output: '' }
    const both = { ...LIVE, public_test_cases: [{ input: '1', output: '2' }, large] }
    expect(read('livecodebench', both)).toMatchObject({ leftOut: 1, tests: [{ stdin: '1' }] })
    expect(() => read('livecodebench', { ...LIVE, public_test_cases: [large] })).toThrow(
      'set.jsonl:1: tests: must have one within the limits of a job, got 1 larger ones',
    )
  })
})

describe('pickledText', () => {
  it('never throws, and accepts only whole pickles', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = pickledText(bytes)
        if (text !== undefined) expect(bytes.at(-1)).toBe(0x2e)
      }),
    )
  })
})

describe('a problem of BigCodeBench', () => {
  it('runs its tests in the process of the code, unless the caller asks otherwise', () => {
    const [problem = expect.fail()] = problems('bigcodebench').all()
    const solution = referenceOf(problem) ?? expect.fail()
    expect(gradingJob(problem, solution).separation).toBe('none')
    expect(gradingJob(problem, solution, { job: { separation: 'process' } }).separation).toBe('process')
  })
})

describe('a problem with a function or solutions of its own', () => {
  it('of APPS accepts a result, or the result in a list, and keeps floats', () => {
    const problem = problems('apps').find('9001')
    expect(problem?.language).toBe('python')
    expect(problem?.tests[0]?.script).toContain(
      '_plain(_function(3.0))\nassert _result == [1.5, 1.5] or _result == [[1.5, 1.5]]',
    )
  })

  it('of CodeContests has the first solution in Python 3 as its reference', () => {
    const [problem = expect.fail()] = problems('code-contests').all()
    expect(referenceOf(problem)).toMatchObject({
      language: 'python',
      text: expect.stringContaining('print(max'),
    })
    expect(problem.limits).toEqual({ timeoutSeconds: 2.5, memoryMb: 245 })
  })
})

describe('a problem of HumanEval-X', () => {
  it('in Go gets the imports of its tests without testify, and those that a completion may use', () => {
    const problem = problems('humaneval-x').find('Go/900') ?? expect.fail()
    const [solution = expect.fail()] = readSolutions(
      'humaneval-x',
      { task_id: 'Go/900', generation: '}' },
      PLACE,
    )
    const { code, language } = gradingJob(problem, solution)
    expect(language).toBe('go-test')
    expect(code).toMatch(/^package main\n\nimport "testing"\n/)
    expect(code).not.toMatch(/testify|import \(/)
    expect(problem.tests[0]?.script).toContain('func (isopodAssert) New(')
  })

  it('in Rust has its tests called by main', () => {
    const problem = problems('humaneval-x').find('Rust/900')
    expect(problem?.prompt).not.toContain('main')
    expect(problem?.tests[0]?.script).toMatch(
      /pub fn test_twice_all\(\)[\s\S]*fn main\(\) \{\n {4}tests::test_twice_all\(\);\n\}\n$/,
    )
  })
})
