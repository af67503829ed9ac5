import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { TIME_FACTOR } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

const SLOTS = 6
let world: World

beforeAll(async () => {
  // Most programs sleep, so more of them run at once than there are cores.
  const budget = { ISOPOD_SLOTS: String(SLOTS), ISOPOD_CPUS: String(SLOTS) }
  world = await startWorld({ env: { ...budget, ISOPOD_MAX_JOB_SECONDS: '500' } })
})

afterAll(async () => {
  await world?.close()
})

const run = (job: JobInput) => world.client.run({ language: 'python', ...job })
/** Programs and the time of their job are as long as the host is slow, so that the same number of them fits. */
const SECOND = `import time\ntime.sleep(${TIME_FACTOR})`
const FOREVER = 'import time\ntime.sleep(100)'
const limits = { jobSeconds: 3.5 * TIME_FACTOR, timeoutSeconds: 60 }
const six = <T>(test: T) => Array.from({ length: 6 }, () => test)

/** Expects that some tests passed, at most one was ended, the rest was skipped, and the result names the limit. */
function expectRanOut(result: Result): void {
  expect(result).toMatchObject({ status: 'timeout', limit: 'job', attributable: true })
  expect(result.limitsApplied?.jobSeconds).toBe(limits.jobSeconds)
  const verdicts = result.tests?.map(({ verdict }) => verdict) ?? []
  expect(verdicts.join(' ')).toMatch(/^(passed ){1,3}(timeout )?skipped( skipped)*$/)
  const unrun = verdicts.filter((verdict) => verdict === 'skipped').length
  expect(result.errorMessage).toBe(
    `The whole job used up its ${limits.jobSeconds} seconds (limits.jobSeconds); ${unrun} of 6 tests were not run`,
  )
  expect(result.summary).toMatchObject({
    total: 6,
    passed: verdicts.filter((one) => one === 'passed').length,
  })
  for (const { verdict, diff } of result.tests ?? []) {
    if (verdict === 'timeout') expect(diff).toContain('limits.jobSeconds')
  }
}

// promise: job-seconds
describe.concurrent('a job that has used up its time', () => {
  it('keeps the verdicts of its tests and runs no others', async () => {
    expectRanOut(await run({ code: SECOND, limits, tests: six({}) }))
  })

  it('keeps its verdicts in the containers of a batch and with a preloaded interpreter', async () => {
    const job: JobInput = {
      code: SECOND,
      limits,
      tests: six({}),
      batchId: 'b',
      reuse: 'batch',
      preload: true,
    }
    expectRanOut(await run(job))
    expect(await run({ ...job, code: 'print(1)' })).toMatchObject({ status: 'success', limit: null })
  })

  it('keeps its verdicts where each test is a script', async () => {
    expectRanOut(await run({ code: 'def f(): pass', limits, tests: six({ script: SECOND }) }))
  })

  it('runs no further tests even if each one fails', async () => {
    const code = `import os, time\ntime.sleep(${0.6 * TIME_FACTOR})\nos.kill(os.getpid(), 9)`
    const result = await run({ code, limits, tests: Array.from({ length: 40 }, () => ({})) })
    expect(result).toMatchObject({ status: 'timeout', limit: 'job' })
    expect(result.tests?.at(0)?.verdict).toBe('runtime_error')
    expect(result.tests?.at(-1)?.verdict).toBe('skipped')
  })

  it('is not flaky only because some of its repetitions did not run', async () => {
    const [plain, tested] = await Promise.all([
      run({ code: SECOND, limits, repeat: 6 }),
      run({ code: SECOND, limits, repeat: 6, tests: [{ expected: '' }] }),
    ])
    expect(plain).toMatchObject({ status: 'timeout', limit: 'job' })
    expect(tested).toMatchObject({ status: 'timeout', limit: 'job', tests: [{ verdict: 'passed' }] })
    expect([plain.flaky, tested.flaky]).toEqual([undefined, undefined])
  })

  it('ends during its compilation', async () => {
    const lines = ['#define A(x) x x x x x x x x x x', '#define B(x) A(A(A(x)))']
    const code = `${lines.join('\n')}\nint main(void) { int n = 0; B(B(n += n * 3;)) return n; }`
    const own = { jobSeconds: 0.5 }
    const plain = await run({ language: 'c', code, limits: own })
    expect(plain).toMatchObject({ status: 'timeout', limit: 'job' })
    expect(plain.errorMessage).toContain('limits.jobSeconds')
    const tested = await run({ language: 'c', code, limits: own, tests: [{}, {}] })
    expect(tested).toMatchObject({
      status: 'timeout',
      limit: 'job',
      tests: [{ verdict: 'skipped' }, { verdict: 'skipped' }],
    })
  })

  it('ends together with its interactor, whichever of the two does not end', async () => {
    const tests = (code: string) => [
      { interactor: { language: 'python', code } },
      { interactor: { language: 'python', code } },
    ]
    const pairs = [
      ['input()', FOREVER],
      ['print(1)', FOREVER],
      [FOREVER, 'input()'],
    ] as const
    const own = { jobSeconds: 2 * TIME_FACTOR, timeoutSeconds: 60 }
    const results = await Promise.all(
      pairs.map(([code, interactor]) => run({ code, limits: own, tests: tests(interactor) })),
    )
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'timeout',
        limit: 'job',
        tests: [{ verdict: 'timeout' }, { verdict: 'skipped' }],
      })
    }
  })

  it('stops a checker that does not end', async () => {
    const checker = { type: 'program', language: 'python', code: FOREVER } as const
    const result = await run({
      code: 'print(1)',
      limits: { jobSeconds: 3 * TIME_FACTOR },
      tests: [{ checker }, { checker }, { expected: '1' }],
    })
    expect(result).toMatchObject({ status: 'timeout', limit: 'job' })
    expect(result.tests?.map(({ verdict }) => verdict)).toEqual(['timeout', 'timeout', 'passed'])
  })

  it('can be cancelled before its time is over', async () => {
    const id = await world.client.submit({ language: 'python', code: SECOND, limits, tests: six({}) })
    await eventually(
      () => world.client.state(id),
      (state) => state === 'running',
    )
    await world.client.cancel(id)
    expect(await world.client.wait(id)).toMatchObject({ status: 'cancelled' })
  })
})

// promise: job-seconds
describe('the time of a job', () => {
  it('applies beside the timeout of a run, and the result names the one that ended it', async () => {
    const [short, long] = await Promise.all([
      run({ code: FOREVER, limits: { timeoutSeconds: 30, jobSeconds: 1.5 } }),
      run({ code: FOREVER, limits: { timeoutSeconds: 1.5, jobSeconds: 30 } }),
    ])
    expect(short).toMatchObject({
      status: 'timeout',
      limit: 'job',
      errorMessage: 'The whole job used up its 1.5 seconds (limits.jobSeconds)',
      limitsApplied: { timeoutSeconds: 30, jobSeconds: 1.5 },
    })
    expect(long).toMatchObject({ status: 'timeout', limit: 'timeout' })
    expect(await run({ code: 'print(1)' })).toMatchObject({
      status: 'success',
      limitsApplied: { jobSeconds: 500 },
    })
  })

  it('does not pass while the job waits for a slot', async () => {
    const others = await world.client.submitMany(
      Array.from({ length: SLOTS }, () => ({ language: 'bash', code: `sleep ${3 * TIME_FACTOR}` })),
    )
    const late = await world.client.run({
      language: 'bash',
      code: 'true',
      limits: { jobSeconds: 2 * TIME_FACTOR },
    })
    expect(late).toMatchObject({ status: 'success' })
    await Promise.all(others.map((id) => world.client.wait(id)))
  })

  it('is at most what the operator allows', async () => {
    const result = await run({ code: 'print(1)', limits: { jobSeconds: 501 } })
    expect(result).toMatchObject({
      status: 'validation_error',
      validationErrors: ['limits.jobSeconds: must be at most 500 on this deployment, got 501'],
    })
  })
})
