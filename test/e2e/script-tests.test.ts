import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(async () => {
  await world?.close()
})

const ADD = 'def add(a, b):\n    return a + b\n'

function run(job: Partial<JobInput> & Pick<JobInput, 'tests'>) {
  return world.client.run({ language: 'python', code: ADD, ...job })
}

// promise: script-tests
describe('a job with scripts', () => {
  it('has each script run and judged as a program of its own', async () => {
    const result = await run({
      code: `${ADD}calls = []\n`,
      tests: [
        { name: 'right', script: 'calls.append(1)\nassert add(1, len(calls)) == 2', weight: 3 },
        { script: 'assert not calls and add(1, 1) == 3' },
        { script: 'add(1)' },
        { script: 'assert add("a", "b") == "ab"', weight: 2 },
      ],
    })
    expect(result).toMatchObject({ status: 'execution_error', exitCode: 1, attributable: true })
    expect(result.tests).toMatchObject([
      { name: 'right', verdict: 'passed', exitCode: 0, diff: null },
      { name: '2', verdict: 'wrong_answer', exitCode: 1, separation: 'process' },
      { name: '3', verdict: 'runtime_error', exitCode: 1 },
      { name: '4', verdict: 'passed' },
    ])
    expect(result.summary).toEqual({ passed: 2, total: 4, score: 5 / 7, status: 'execution_error' })
    for (const { wallMs, memoryPeakBytes } of result.tests ?? []) {
      expect(wallMs).toBeGreaterThan(0)
      expect(memoryPeakBytes).toBeGreaterThan(0)
    }
  })

  it('reports failures by line numbers of the code or of the script', async () => {
    const code = 'def add(a, b):\n    return a + c\n'
    const { tests, stderr } = await run({ code, tests: [{ script: '\n\nadd(1, 2)' }] })
    expect(stderr).toMatch(
      /^Traceback.*\n {2}File "\/workspace\/script\.py", line 3, in <module>\n {4}add\(1, 2\)\n[\s\S]*File "\/workspace\/main\.py", line 2, in add\n {4}return a \+ c\n[\s\S]*NameError: name 'c' is not defined\n$/,
    )
    expect(stderr).not.toContain('harness')
    expect(tests?.[0]?.diff).toContain("NameError: name 'c' is not defined")
  })

  it.each(['process', 'none'] as const)('gives each its stdin, files and limits: %s', async (separation) => {
    const code = `
import sys
def read(): return sys.stdin.read() + open("word").read()
def spin():
    while True: pass
def fill(): return len(bytearray(100_000_000))
def shout(): print("x" * 1000)
`
    const script = 'assert read() == "oneone"'
    const word = { content: 'one', encoding: 'utf8' } as const
    const { tests } = await run({
      code,
      separation,
      stdin: 'one',
      files: { word },
      tests: [
        { script },
        { script, stdin: 'two' },
        { script, files: { word: { ...word, content: 'two' } } },
        { script: 'spin()', limits: { timeoutSeconds: 0.5 } },
        { script: 'fill()', limits: { memoryMb: 32 } },
        { script: 'shout()', limits: { outputBytes: 10, onOverflow: 'kill' } },
      ],
    })
    for (const test of tests ?? []) expect(test.separation).toBe(separation)
    expect(tests?.map(({ verdict }) => verdict)).toEqual([
      'passed',
      'wrong_answer',
      'wrong_answer',
      'timeout',
      'memory_exceeded',
      'output_exceeded',
    ])
  })

  it('skips the remaining scripts after the first failure if the job asks for it', async () => {
    const { tests, summary } = await run({
      stopOnFirstFailure: true,
      tests: [{ script: 'add(1, 1)' }, { script: 'assert False' }, { script: 'add(1, 1)' }],
    })
    expect(tests?.map(({ verdict }) => verdict)).toEqual(['passed', 'wrong_answer', 'skipped'])
    expect(tests?.[2]).toMatchObject({ exitCode: null, wallMs: null, memoryPeakBytes: null })
    expect(summary).toMatchObject({ passed: 1, total: 3, status: 'execution_error' })
  })

  it('reports the output of the compiler', async () => {
    const script = '#include <assert.h>\nint main(void) { assert(add(1) == 1); return 0; }'
    const code = 'int add(int a, int b) { return a + b; }'
    const { status, tests } = await run({ language: 'c', code, tests: [{ script }] })
    expect(status).toBe('compile_error')
    expect(tests).toMatchObject([
      { verdict: 'runtime_error', diff: expect.stringMatching(/script\.c:2:.*|too few/) },
    ])
  })

  it('is refused if a script has no recognizable end, such as main in C', async () => {
    const { status, errorMessage } = await run({
      language: 'c',
      code: 'int x;',
      tests: [{ script: 'int y;' }],
    })
    expect(status).toBe('validation_error')
    expect(errorMessage).toMatch(/^tests\.0\.script: must contain a match of .*main/)
  })

  it('is subject to the policy together with its scripts', async () => {
    const policy = { mode: 'enforce', rules: 'strict' } as const
    const refused = await run({ policy, tests: [{ script: 'import ctypes' }] })
    expect(refused.status).toBe('validation_error')
    expect((await run({ policy, tests: [{ script: 'assert add(1, 1) == 2' }] })).status).toBe('success')
  })

  it('is judged by exit codes in a language without assertions', async () => {
    const { tests } = await run({
      language: 'bash',
      code: 'add() { echo $(($1 + $2)); }',
      tests: [{ script: '[ "$(add 1 2)" = 3 ]' }, { script: '[ "$(add 1 2)" = 4 ]' }],
    })
    expect(tests?.map(({ verdict }) => verdict)).toEqual(['passed', 'wrong_answer'])
  })
})
