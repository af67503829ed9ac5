import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  // More than the host has: so executions can be in each other's way.
  world = await startWorld({ env: { ISOPOD_SLOTS: '12', ISOPOD_CPUS: '64' } })
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
  it('is flaky if it does not end the same way each time, and has the worst of its ends', async () => {
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

  it('has each of its tests judged for itself, without reaching beyond the first that fails', async () => {
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

  it('tells of flaky tests, and counts them', async () => {
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

const SPIN = 'while True: pass'
/** Runs beside programs that keep both processors busy for as long as that. */
async function besideLoad<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  const burners = Array.from({ length: 8 }, () =>
    run({ code: SPIN, limits: { timeoutSeconds: seconds, cpus: 2, cpuSeconds: 60, memoryMb: 64 } }),
  )
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  const done = await work()
  await Promise.all(burners)
  return done
}

// promise: flaky
describe('a timeout on a worker that is busy', () => {
  const limits = { timeoutSeconds: 3, cpus: 1 }
  // Needs a quarter of a processor: more than eleven such have each of two, and what one alone has on a busy machine.
  const needs = 'import time\nwhile time.process_time() < 0.75: pass\nprint("done")'

  it('of a program that had too little of the processor is no verdict: alone it passes, and is flaky', {
    timeout: 120_000,
  }, async () => {
    const { plain, tested, script } = await besideLoad(10, async () => {
      const [plain, tested, script] = await Promise.all([
        run({ code: needs, limits }),
        run({
          code: needs,
          limits,
          stopOnFirstFailure: true,
          tests: [{ expected: 'done' }, { expected: 'done' }],
        }),
        run({ code: needs, limits, tests: [{ script: 'pass' }] }),
      ])
      return { plain, tested, script }
    })
    expect(plain).toMatchObject({ status: 'success', flaky: true, stdout: 'done\n' })
    expect(verdicts(tested)).toEqual(['passed', 'passed'])
    expect(tested).toMatchObject({ status: 'success', flaky: true, summary: { passed: 2, flaky: 1 } })
    expect(tested.tests?.map(({ flaky }) => flaky)).toEqual([true, undefined])
    expect(script).toMatchObject({ status: 'success', flaky: true, tests: [{ verdict: 'passed' }] })
  })

  it('of a program that never ends stays one, and of one that sleeps is not even looked at again', {
    timeout: 120_000,
  }, async () => {
    const { endless, asleep } = await besideLoad(10, async () => {
      const [endless, asleep] = await Promise.all([
        run({ code: SPIN, limits, tests: [{}] }),
        run({ code: 'import time\ntime.sleep(60)', limits }),
      ])
      return { endless, asleep }
    })
    expect(endless).toMatchObject({ status: 'timeout', tests: [{ verdict: 'timeout' }] })
    expect(endless.flaky).toBe(undefined)
    // Once beside others, and once alone.
    expect(endless.wallMs).toBeGreaterThan(5_900)
    expect(endless.wallMs).toBeLessThan(7_500)
    expect(asleep).toMatchObject({ status: 'timeout' })
    expect(asleep.flaky).toBe(undefined)
    expect(asleep.wallMs).toBeLessThan(4_000)
  })
})
