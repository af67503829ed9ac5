import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '3', ...WITHOUT_RETRIES } })
})

afterAll(async () => {
  await world?.close()
})

type Tests = NonNullable<JobInput['tests']>

function run(code: string, tests: Tests, changes: Partial<JobInput> = {}): Promise<Result> {
  return world.client.run({ language: 'python', code, tests, ...changes })
}

const verdicts = ({ tests = [] }: Result) => tests.map(({ verdict }) => verdict)
const ECHO = 'import sys\nsys.stdout.write(sys.stdin.read())'

// promise: tests
describe.concurrent('a job with tests', () => {
  it('is compiled once, and each test gets a verdict, its measurements, and the place where its output differs', async () => {
    const code =
      '#include <stdio.h>\nint main(void) { int n; if (scanf("%d", &n) != 1) return 3; printf("%d\\n", n * n); }\n'
    const result = await run(
      code,
      [
        { name: 'two', stdin: '2', expected: '4', weight: 3 },
        { stdin: '-3', expected: '9\n' },
        { name: 'wrong', stdin: '4', expected: '17', weight: 4 },
        { name: 'none', stdin: 'x', expected: '' },
      ],
      { language: 'c' },
    )
    expect(result).toMatchObject({
      status: 'execution_error',
      summary: { passed: 2, total: 4, status: 'execution_error' },
      errorMessage:
        '2 of 4 tests did not pass; the first is "wrong": wrong answer: line 1: expected "17", got "16"',
    })
    expect(result.summary?.score).toBeCloseTo(4 / 9, 9)
    expect(result.tests).toMatchObject([
      { name: 'two', verdict: 'passed', exitCode: 0, diff: null },
      { name: '2', verdict: 'passed', exitCode: 0, diff: null },
      { name: 'wrong', verdict: 'wrong_answer', exitCode: 0, diff: 'line 1: expected "17", got "16"' },
      { name: 'none', verdict: 'runtime_error', exitCode: 3, diff: 'Program exited with code 3' },
    ])
    for (const { wallMs, cpuMs, memoryPeakBytes } of result.tests ?? []) {
      expect(wallMs).toBeGreaterThan(0)
      expect(cpuMs).toBeGreaterThan(0)
      expect(memoryPeakBytes).toBeGreaterThan(0)
    }
  })

  it('succeeds with the full score if all tests pass', async () => {
    const result = await run(ECHO, [{ stdin: 'a', expected: 'a' }, { stdin: 'b' }, { expected: '' }])
    expect(result).toMatchObject({
      status: 'success',
      errorMessage: null,
      summary: { passed: 3, total: 3, score: 1, status: 'success' },
    })
  })

  it('has a verdict for each way to fail, and judges each test separately', async () => {
    const code = `
import sys
what = sys.stdin.read()
if what == 'slow':
    while True: pass
if what == 'large': x = b'x' * 200_000_000
if what == 'loud': print('x' * 10_000)
if what == 'fail': raise KeyError('of mine')
print(what)`
    const words = ['ok', 'slow', 'large', 'loud', 'fail', 'ok']
    const limits = { memoryMb: 64, outputBytes: 1000 }
    const result = await run(
      code,
      words.map((stdin) => ({
        stdin,
        expected: 'ok',
        limits: { ...limits, timeoutSeconds: stdin === 'slow' ? 0.5 : 10 },
      })),
    )
    expect(verdicts(result)).toEqual([
      'passed',
      'timeout',
      'memory_exceeded',
      'output_exceeded',
      'runtime_error',
      'passed',
    ])
    expect(result.tests?.[4]?.diff).toContain("KeyError: 'of mine'")
  })

  it('fails a test whose files do not fit beside the job’s own, without a fault of the platform', async (context) => {
    context.skip(RUNTIME === 'runsc', 'gVisor refuses containers with so little memory')

    const large = (name: string) => ({ [name]: { content: 'x'.repeat(4_900_000) } })
    const code = `cat\n#${' '.repeat(1_000_000)}`
    const result = await run(code, [{ files: large('of-the-test') }, { stdin: 'a', expected: 'a' }], {
      language: 'bash',
      limits: { memoryMb: 16 },
      files: large('of-the-job'),
    })
    expect(result.attributable).toBe(true)
    // The kernel counts more on cgroup v2, where not even the job's files fit twice.
    expect(result.tests?.[0]).toMatchObject({
      verdict: expect.stringMatching(/^(runtime_error|memory_exceeded)$/),
      diff: expect.stringContaining('fit'),
    })
  })

  it('never shows expected outputs to its program', async () => {
    const secret = 'expected-4711'
    const code = `
import os, sys
files = [f'/proc/{pid}/{name}' for pid in ['1', 'self'] for name in ['environ', 'cmdline', 'maps', 'mem', 'fd/0']]
for base in ['/workspace', '/tmp', '/dev/shm']:
    for folder, _, names in os.walk(base):
        files += [os.path.join(folder, name) for name in names]
for path in files:
    try: sys.stdout.write(open(path, errors='replace').read())
    except OSError: pass
print(os.environ, sys.argv)`
    const result = await run(code, [{ expected: secret, stdin: 'given' }])
    expect(verdicts(result)).toEqual(['wrong_answer'])
    expect(result.stdout).toContain('given')
    expect(result.stdout).not.toContain(secret)
  })

  it('skips the tests after the first failure if it asks for that', async () => {
    const tests = ['a', 'b', 'c'].map((stdin) => ({ stdin, expected: stdin === 'b' ? 'x' : stdin }))
    const result = await run(ECHO, tests, { stopOnFirstFailure: true })
    expect(verdicts(result)).toEqual(['passed', 'wrong_answer', 'skipped'])
    expect(result.tests?.[2]).toMatchObject({ wallMs: null, exitCode: null })
    expect(result.summary).toMatchObject({ passed: 1, total: 3 })
  })

  it('fails each test if its program does not compile, and reports the errors', async () => {
    const result = await run('int main(void) { return x; }', [{}, {}], { language: 'c' })
    expect(result).toMatchObject({ status: 'compile_error', summary: { passed: 0, status: 'compile_error' } })
    expect(result.compileOutput).toContain('undeclared')
    expect(verdicts(result)).toEqual(['runtime_error', 'runtime_error'])
  })

  it('gives the same verdicts in a batch and with preload', async () => {
    const tests = ['1', '2', 'x', '4'].map((stdin) => ({ stdin, expected: String(Number(stdin) * 2) }))
    const code = 'print(int(input()) * 2)'
    const changes: Partial<JobInput>[] = [
      {},
      { preload: true },
      { reuse: 'batch', batchId: 'b' },
      { preload: true, reuse: 'batch', batchId: 'b' },
      { preload: true, reuse: 'batch', batchId: 'b' },
    ]
    for (const change of changes) {
      const result = await run(code, tests, change)
      expect(verdicts(result), JSON.stringify(change)).toEqual([
        'passed',
        'passed',
        'runtime_error',
        'passed',
      ])
    }
  })
})

it('the metrics of the worker count tests by verdict', async () => {
  const text = await (await fetch(`${world.workers[0]?.url}/metrics`)).text()
  for (const verdict of ['passed', 'wrong_answer', 'timeout', 'skipped']) {
    expect(text).toMatch(new RegExp(`isopod_tests_total\\{language="python",verdict="${verdict}"\\} [1-9]`))
  }
})

describe.concurrent('how an output is judged', () => {
  const cases: [NonNullable<Tests[number]['checker']>, string, string, boolean][] = [
    ['exact', 'a\n', 'a\n', true],
    ['exact', 'a\n', 'a', false],
    ['trimmed', 'a  \nb\n\n', 'a\nb', true],
    ['tokens', 'a b', 'a\n b', true],
    ['numbers', '1.0000000001', '1', true],
    [{ type: 'numbers', absolute: 0.1 }, '1.05', '1', true],
    [{ type: 'numbers', absolute: 0.01 }, '1.05', '1', false],
    ['lines', 'a\nb', 'b\na', true],
    ['sorted', 'a b', 'b a', true],
    ['regex', '[a-c]+', 'abc', true],
    ['json', '{"a":[1]}', '{ "a": [1.0] }', true],
    ['json', '{"a":[1]}', '[', false],
  ]

  it('follows the checker of each test', async () => {
    const tests = cases.map(([checker, expected, stdin]) => ({ checker, expected, stdin }))
    expect(verdicts(await run(ECHO, tests))).toEqual(
      cases.map(([, , , passes]) => (passes ? 'passed' : 'wrong_answer')),
    )
  })

  it('delays no other job, however long the output is', async () => {
    const lines = Array.from({ length: 150_000 }, (_, n) => String(n)).join('\n')
    const code = 'print("\\n".join(str(n) for n in reversed(range(150_000))))'
    const limits = { outputBytes: 10_000_000, timeoutSeconds: 20, cpus: 1 }
    const result = await run(code, [{ expected: lines, checker: 'lines' }], { limits })
    expect(verdicts(result)).toEqual(['passed'])
  })

  it('distinguishes invalid UTF-8 from replacement characters in the expectation', async () => {
    const code = 'import sys\nsys.stdout.buffer.write(b"\\xff")'
    const result = await run(code, [{ expected: '\ufffd' }])
    expect(result.tests).toMatchObject([{ verdict: 'wrong_answer', diff: 'the output is not valid UTF-8' }])
  })
})

describe.concurrent('a checker that is a program', () => {
  const checker = {
    type: 'program',
    language: 'python',
    code: `
import sys
given, expected, actual = (open(name).read().split() for name in ('input', 'expected', 'actual'))
if actual == ['crash']: raise RuntimeError('checker is broken')
if sum(map(int, actual)) != int(expected[0]):
    print('the sum is', sum(map(int, actual)), 'for', given)
    sys.exit(43)
sys.exit(42)`,
  } as const

  it('judges each output in a container of its own, with input, expectation and output as files', async () => {
    const tests = ['1 2', '4', '5 -2'].map((stdin) => ({ stdin, expected: '3', checker }))
    const result = await run(ECHO, tests)
    expect(result.tests).toMatchObject([
      { verdict: 'passed' },
      { verdict: 'wrong_answer', diff: "the sum is 4 for ['4']" },
      { verdict: 'passed' },
    ])
    expect(result.summary).toMatchObject({ passed: 2, status: 'success' })
  })
})

describe.concurrent('an interactor', () => {
  const interactor = {
    language: 'python',
    code: `
import sys
secret, asked = int(open('input').read()), 0
for line in sys.stdin:
    asked += 1
    if line.startswith('!'):
        if int(line[1:]) == secret: sys.exit(42)
        print('it was', secret, file=sys.stderr)
        sys.exit(43)
    if asked > 8:
        print('too many questions', file=sys.stderr)
        sys.exit(43)
    print('<' if secret < int(line) else '>=', flush=True)
raise RuntimeError('nobody answered')`,
  } as const
  const tests: Tests = ['3', '77'].map((stdin) => ({ stdin, interactor }))
  const ask = (next: string) => `
low, high = 0, 100
while high - low > 1:
    middle = ${next}
    print(middle, flush=True)
    if input() == '<': high = middle
    else: low = middle
print('!', low, flush=True)`

  it('talks with the program, each of the two in its own container, and judges it', async () => {
    const result = await run(ask('(low + high) // 2'), tests)
    expect(result.summary).toMatchObject({ passed: 2, score: 1, status: 'success' })
  })

  it('talks with the program beside test cases without one', async () => {
    const result = await run('print(input())', [
      { interactor: { language: 'bash', code: 'echo 1; read -r n; exit 42' } },
      { stdin: '2', expected: '2' },
    ])
    expect(verdicts(result)).toEqual(['passed', 'passed'])
  })

  it('decides the verdict even if the program then fails because the interactor has ended', async () => {
    expect((await run(ask('low + 1'), tests)).tests).toMatchObject([
      { verdict: 'passed' },
      { verdict: 'wrong_answer', diff: 'too many questions' },
    ])
    expect((await run('print("! 5")', tests)).tests).toMatchObject([
      { verdict: 'wrong_answer', diff: 'it was 3' },
      { verdict: 'wrong_answer', diff: 'it was 77' },
    ])
  })

  it('decides no verdict of a program that fails or that waits without end', async () => {
    expect(verdicts(await run('raise KeyError(1)', tests))).toEqual(['runtime_error', 'runtime_error'])
    const limits = { timeoutSeconds: 0.5 }
    expect(verdicts(await run('input()', tests, { limits }))).toEqual(['timeout', 'timeout'])
  })

  it('is not started for a program that does not compile', async () => {
    const result = await run('int main(void) { return x; }', tests, { language: 'c' })
    expect(result.status).toBe('compile_error')
  })
})

describe.concurrent('tests that cannot be run', () => {
  const refused: [string, Tests, Partial<JobInput>, RegExp][] = [
    [
      'a bad expression',
      [{ expected: '(', checker: 'regex' }],
      {},
      /^tests\.0\.expected: .*regular expression/,
    ],
    [
      'an expectation that is not JSON',
      [{ expected: '{', checker: 'json' }],
      {},
      /^tests\.0\.expected: is not JSON: "\{"/,
    ],
    [
      'an expectation that is longer than the output limit',
      [{ expected: 'xxx', limits: { outputBytes: 2 } }],
      {},
      /outputBytes/,
    ],
    ['a checker without expectation', [{ checker: 'json' }], {}, /^tests\.0\.checker: needs expected/],
    ['an unknown language', [{ checker: { type: 'program', language: 'abap', code: 'x' } }], {}, /abap/],
    ['a file in the place of the program', [{ files: { 'main.py': { content: '' } } }], {}, /name is taken/],
  ]

  it.each(refused)('are refused with a reason: %s', async (_, tests, changes, sentence) => {
    const result = await run('pass', tests, changes)
    expect(result.status).toBe('validation_error')
    expect(result.validationErrors.join('\n')).toMatch(sentence)
  })

  it('are refused by the client if the job alone shows the mistake', async () => {
    await expect(run('pass', [{}], { network: 'internet' })).rejects.toThrow(/tests: allow no network/)
    await expect(run('pass', [])).rejects.toThrow(/at least one test/)
    await expect(run('pass', [{}], { tests: undefined, stopOnFirstFailure: true })).rejects.toThrow(
      /needs tests/,
    )
  })
})
