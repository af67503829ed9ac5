import { TimeBudget } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { sampleStream } from '../../../../test/support/samples.ts'
import { type IDLE, type JudgeRun, judged } from '../support/judged-job.ts'

const checker = { type: 'program', language: 'judge', code: 'x' } as const
const interactor = { language: 'judge', code: 'x' } as const
const ACCEPTS: JudgeRun = { status: 'execution_error', exitCode: 42 }
const REFUSES: JudgeRun = { status: 'execution_error', exitCode: 43 }
const CRASHES: JudgeRun = {
  ...{ status: 'execution_error', exitCode: 1, errorMessage: 'Program exited with code 1' },
  stderr: sampleStream('ValueError: "x"'),
}
const HANGS: JudgeRun = { status: 'timeout', limit: 'timeout', exitCode: null, errorMessage: 'Timed out' }
/** It used half of the processor time that it could have had. */
const STARVED: JudgeRun = { ...HANGS, wallMs: 1000, cpuUserMs: 200, cpuSysMs: 0 }

const verdicts = ({ judged: { tests = [] } }: Awaited<ReturnType<typeof judged>>) =>
  tests.map(({ verdict }) => verdict)

// promise: judge-errors
describe('a checker program that fails', () => {
  it('on the same output twice, in two containers, is a judge error of this test case alone', async () => {
    const result = await judged([{ checker }, { checker, name: 'odd' }, {}], [[ACCEPTS, CRASHES], [CRASHES]])
    expect(verdicts(result)).toEqual(['passed', 'judge_error', 'passed'])
    expect(result.ids).toEqual(['j', 'j.checker-1', 'j.checker-1.again'])
    expect(result.outcome.status).toBe('success')
    expect(result.judged.tests?.[1]?.diff).toBe(
      'the checker failed: it exited with code 1; 42 accepts, 43 rejects; stderr: ValueError: "x"',
    )
    expect(result.judged.summary).toEqual({
      ...{ passed: 2, total: 3, score: 2 / 3, status: 'success', judgeErrors: 1 },
    })
    expect(result.judged.errorMessage).toContain('the first is "odd": judge error: the checker failed')
  })

  it.each([
    ['passed', ACCEPTS],
    ['wrong_answer', REFUSES],
  ])('only once leaves the second answer: %s', async (verdict, second) => {
    const result = await judged([{ checker }, { checker }], [[CRASHES, ACCEPTS], [second]])
    expect(verdicts(result)).toEqual([verdict, 'passed'])
    expect(result.judged.summary?.judgeErrors).toBeUndefined()
    expect(result.verdicts).toEqual(['1 passed', `0 ${verdict}`])
  })

  it('to start is a judge error of all of its test cases, with the message of the compiler', async () => {
    const unstarted = { status: 'compile_error', compileOutput: 'x undeclared', exitCode: 1 } as const
    const result = await judged([{ checker }, {}], [{ unstarted }, { unstarted }])
    expect(verdicts(result)).toEqual(['judge_error', 'passed'])
    expect(result.judged.tests?.[0]?.diff).toBe('the checker does not compile: x undeclared')
    expect(result.outcome).toMatchObject({ status: 'success', exitCode: 0 })
  })

  it('because a busy host starved it gets its second try exclusively', async () => {
    const calls: string[] = []
    const retry: typeof IDLE = {
      wasOvercommitted: () => true,
      runExclusively: async ({ timeoutsMs }, run) => {
        calls.push(`exclusively ${timeoutsMs}`)
        return await run(1, new AbortController().signal)
      },
      resume: async () => void calls.push('resume'),
    }
    const result = await judged([{ checker }, { checker }], [[STARVED, CRASHES], [ACCEPTS], [CRASHES]], {
      retry,
    })
    expect(verdicts(result)).toEqual(['passed', 'judge_error'])
    expect(calls).toEqual(['exclusively 30000,30000', 'resume'])
    // The allowance covered only the first output.
    expect(result.ids.slice(2)).toEqual(['j.checker-1.alone', 'j.checker-1.again'])
  })

  it('gets its second try beside others if the worker allows no exclusive one', async () => {
    const refused = { runExclusively: async () => undefined, resume: async () => {} }
    const retry = { ...refused, wasOvercommitted: () => true }
    const result = await judged([{ checker }], [[STARVED], [ACCEPTS]], { retry })
    expect(verdicts(result)).toEqual(['passed'])
  })

  it('until the job has no time left is never the timeout of the program', async () => {
    let now = 0
    const budget = new TimeBudget(1, () => now)
    const stop = budget.start()
    now = 2000
    stop()
    const late: JudgeRun = { ...HANGS, limit: 'job' }
    const result = await judged([{ checker }, { checker }], [[HANGS, late]], { budget })
    expect(verdicts(result)).toEqual(['judge_error', 'judge_error'])
    expect(result.judged.tests?.[1]?.diff).toContain('no time left')
    expect(result.outcome.status).toBe('success')
  })

  it('does not stop a job at its first failure', async () => {
    const result = await judged([{ checker }, { checker }], [[CRASHES, ACCEPTS], [CRASHES]], {
      stopOnFirstFailure: true,
    })
    expect(verdicts(result)).toEqual(['judge_error', 'passed'])
  })
})

// promise: judge-errors
describe('an interactor that fails', () => {
  it('twice is a judge error of this test case alone', async () => {
    const result = await judged([{ interactor }, { interactor }], [[CRASHES, ACCEPTS], [CRASHES]])
    expect(verdicts(result)).toEqual(['judge_error', 'passed'])
    expect(result.judged.tests?.[0]?.diff).toMatch(/^the interactor failed: it exited with code 1/)
    expect(result.ids).toHaveLength(4)
    // With what the first conversation has told, the program could win the second one.
    expect(result.shared).toEqual([
      ['j.interactor', '["b",null,"judge"]'],
      ['j', 'b'],
    ])
  })

  it('only once leaves the second conversation, which decides about the job too', async () => {
    const program: JudgeRun[] = [{ status: 'execution_error', exitCode: 1 }, {}]
    const again = await judged([{ interactor }], [[HANGS], [ACCEPTS]], { program })
    expect(verdicts(again)).toEqual(['passed'])
    expect(again.outcome.status).toBe('success')
  })

  it('to start is a judge error, and the program is not blamed', async () => {
    const unstarted = { status: 'compile_error', compileOutput: 'x undeclared', exitCode: 1 } as const
    const result = await judged([{ interactor }, {}], [{ unstarted }, { unstarted }])
    expect(verdicts(result)).toEqual(['judge_error', 'passed'])
    expect(result.judged.tests?.[0]?.diff).toBe('the interactor does not compile: x undeclared')
  })
})
