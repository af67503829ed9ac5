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

const run = (job: JobInput) => world.client.run({ language: 'python', ...job })
const verdicts = ({ tests = [] }: Awaited<ReturnType<typeof run>>) => tests.map(({ verdict }) => verdict)

/** Twenty throws are all the same once in 500,000 times. */
const COIN = 'import os\nheads = os.urandom(1)[0] < 128\n'
const CODE = 'import os, sys\nsys.exit(1 + int.from_bytes(os.urandom(4)) % 250)\n'

// promise: flaky
describe('a program that runs more than once', () => {
  it('is flaky if it ends differently each time, and gets the worst of its statuses', async () => {
    // All exit codes are the same once in 250^19 times.
    const result = await run({ code: CODE, repeat: 20 })
    expect(result).toMatchObject({ status: 'execution_error', flaky: true })
    expect(result.wallMs).toBeLessThan(result.timings.run)
  })

  it('is not if it does', async () => {
    const result = await run({ code: 'print("same")', repeat: 3 })
    expect(result).toMatchObject({ status: 'success', stdout: 'same\n' })
    expect(result.flaky).toBe(undefined)
  })

  it('has each test judged by itself, up to the first that fails', async () => {
    const tests = [
      { stdin: 'same', expected: 'same' },
      { name: 'random', stdin: 'random', expected: '' },
      { stdin: 'same', expected: 'same' },
    ]
    const code = 'import os\nword = input()\nprint(os.urandom(9) if word == "random" else word)'
    const all = await run({ code, tests, repeat: 3 })
    expect(verdicts(all)).toEqual(['passed', 'wrong_answer', 'passed'])
    const some = await run({ code, tests, repeat: 3, stopOnFirstFailure: true })
    expect(verdicts(some)).toEqual(['passed', 'wrong_answer', 'skipped'])
    expect([all.flaky, some.flaky]).toEqual([undefined, undefined])
  })

  it('marks flaky tests and counts them', async () => {
    // Each of three tests would have to fall on one side 20 times, all of them: once in 10^17 times.
    const tests = Array.from({ length: 3 }, () => ({ expected: 'True' }))
    const result = await run({ code: `${COIN}print(heads)`, tests, repeat: 20 })
    expect(result.flaky).toBe(true)
    const flaky = result.tests?.filter((test) => test.flaky) ?? []
    expect(flaky.length).toBeGreaterThan(0)
    expect(result.summary?.flaky).toBe(flaky.length)
    expect(flaky.every(({ verdict }) => verdict === 'wrong_answer')).toBe(true)
  })

  it('has its scripts run as often', async () => {
    // All three the same twelve times: once in 8 * 10^9 times.
    const tests = Array.from({ length: 3 }, () => ({ script: 'assert heads' }))
    const result = await run({ code: COIN, tests, repeat: 12, limits: { cpus: 1 } })
    expect(result.tests).toHaveLength(3)
    expect(result.flaky).toBe(true)
  })

  it('meets its interactor and its checker each time', async () => {
    const judge = 'import os, sys\nsys.exit(43 if os.urandom(1)[0] < 128 else 42)'
    const checker = { type: 'program' as const, language: 'python', code: judge }
    const checked = await run({ code: 'print(1)', tests: [{ checker }, { checker }], repeat: 20 })
    expect(checked.summary).toMatchObject({ total: 2, flaky: expect.any(Number) })
    const interactor = { language: 'python', code: judge }
    const talked = await run({ code: 'pass', tests: [{ interactor }, { interactor }], repeat: 20 })
    expect(talked.summary).toMatchObject({ total: 2, flaky: expect.any(Number) })
  })
})
