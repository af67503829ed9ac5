import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ...WITHOUT_RETRIES } })
})

afterAll(async () => {
  await world?.close()
})

type Tests = NonNullable<JobInput['tests']>

function run(code: string, tests: Tests, changes: Partial<JobInput> = {}): Promise<Result> {
  return world.client.run({ language: 'python', code, tests, ...changes })
}

const verdicts = ({ tests = [] }: Result) => tests.map(({ verdict }) => verdict)
const python = (code: string) => ({ type: 'program', language: 'python', code }) as const
const ECHO = 'import sys\nsys.stdout.write(sys.stdin.read())'

// promise: judge-errors
describe('a checker', () => {
  const numeric = python(`
import sys
sys.exit(42 if int(open('actual').read()) == int(open('expected').read()) else 43)`)

  it('that crashes on what the code printed is a judge error, and no other test case changes', async () => {
    const outputs = ['3', '4', 'garbage', '3']
    const tests = outputs.map((stdin) => ({ stdin, expected: '3', checker: numeric }))
    const result = await run(ECHO, [...tests, { stdin: 'x', expected: 'x' }])
    expect(verdicts(result)).toEqual(['passed', 'wrong_answer', 'judge_error', 'passed', 'passed'])
    expect(result).toMatchObject({ status: 'success', attributable: true, attempt: 1 })
    expect(result.summary).toEqual({ passed: 3, total: 5, score: 0.6, status: 'success', judgeErrors: 1 })
    expect(result.tests?.[2]?.diff).toMatch(/^the checker failed: it exited with code 1.*ValueError/s)
  })

  it('that crashes does not stop a job at its first failure: the code can still fail', async () => {
    const tests = ['garbage', '4', '3'].map((stdin) => ({ stdin, expected: '3', checker: numeric }))
    const result = await run(ECHO, tests, { stopOnFirstFailure: true })
    expect(verdicts(result)).toEqual(['judge_error', 'wrong_answer', 'skipped'])
  })

  it('that needs too much memory for what the code printed is a judge error', async () => {
    const hungry = python(`
import sys
copies = b'x' * int(open('actual').read())
sys.exit(42)`)
    const tests = ['1', '400000000'].map((stdin) => ({ stdin, checker: hungry }))
    const result = await run(ECHO, tests)
    expect(verdicts(result)).toEqual(['passed', 'judge_error'])
    expect(result.tests?.[1]?.diff).toMatch(/^the checker failed: .*[mM]emory/)
    expect(result.status).toBe('success')
  })

  it('that ends all processes of its container is a judge error', async () => {
    const code = 'import os, signal\nos.kill(-1, signal.SIGKILL)\nos.kill(0, signal.SIGKILL)'
    expect(verdicts(await run(ECHO, [{ checker: python(code) }]))).toEqual(['judge_error'])
  })

  it('that does not compile is the caller’s fault', async () => {
    const broken = { type: 'program', language: 'c', code: 'int main(void) { return x; }' } as const
    const result = await run(ECHO, [{ expected: '', checker: broken }, { expected: '' }])
    expect(verdicts(result)).toEqual(['judge_error', 'passed'])
    expect(result.tests?.[0]?.diff).toMatch(/^the checker does not compile: .*undeclared/s)
    expect(result).toMatchObject({ status: 'success', attributable: true, attempt: 1 })
  })
})

// promise: judge-errors
describe('an interactor', () => {
  const numeric = {
    language: 'python',
    code: `
import sys
wanted = int(open('input').read())
print('number?', flush=True)
sys.exit(42 if int(sys.stdin.readline()) == wanted else 43)`,
  } as const
  const tests: Tests = ['1', '2'].map((stdin) => ({ stdin, interactor: numeric }))

  it('that crashes on what the code says is a judge error of this test case alone', async () => {
    const result = await run('input()\nprint("garbage")', [...tests, {}])
    expect(verdicts(result)).toEqual(['judge_error', 'judge_error', 'runtime_error'])
    expect(result.tests?.[0]?.diff).toMatch(/^the interactor failed: it exited with code 1.*ValueError/s)
  })

  it('is to blame if the code fails because its interactor is gone', async () => {
    const result = await run('input()\nprint("garbage", flush=True)\ninput()', tests)
    expect(verdicts(result)).toEqual(['judge_error', 'judge_error'])
    expect(result).toMatchObject({ status: 'execution_error', summary: { judgeErrors: 2, score: 0 } })
  })

  it('that does not end is a judge error, and code that does not answer a timeout', async () => {
    const limits = { timeoutSeconds: 1 }
    const forever = { language: 'python', code: 'while True: pass' } as const
    expect(verdicts(await run('input()', [{ interactor: forever }], { limits }))).toEqual(['judge_error'])
    expect(verdicts(await run('input()\ninput()', tests.slice(1), { limits }))).toEqual(['timeout'])
  })

  it('that does not compile is the caller’s fault', async () => {
    const broken = { language: 'c', code: 'int main(void) { return x; }' } as const
    const result = await run('print(1)', [{ interactor: broken }, { expected: '1' }])
    expect(verdicts(result)).toEqual(['judge_error', 'passed'])
    expect(result.tests?.[0]?.diff).toMatch(/^the interactor does not compile: .*undeclared/s)
    expect(result).toMatchObject({ status: 'success', attempt: 1 })
  })
})
