import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { besideLoad, OVERCOMMITTED, SPIN } from '../support/beside-load.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ env: OVERCOMMITTED })
})

afterAll(async () => {
  await world?.close()
})

const run = (job: JobInput) => world.client.run({ language: 'python', ...job })
const verdicts = ({ tests = [] }: Awaited<ReturnType<typeof run>>) => tests.map(({ verdict }) => verdict)

const limits = { timeoutSeconds: 3, cpus: 1 }
// Needs a quarter of a processor: more than its share beside a dozen other jobs, less than it gets in an exclusive run.
const NEEDS = 'import time\nwhile time.process_time() < 0.75: pass\nprint("done")'
const TWICE = [{ expected: 'done' }, { expected: 'done' }]

/** Runs programs that compete for the processors, and one that sleeps. */
async function runAll() {
  const [plain, tested, script, endless, asleep] = await Promise.all([
    run({ code: NEEDS, limits }),
    run({ code: NEEDS, limits, stopOnFirstFailure: true, tests: TWICE }),
    run({ code: NEEDS, limits, tests: [{ script: 'pass' }] }),
    run({ code: SPIN, limits, tests: [{}] }),
    run({ code: 'import time\ntime.sleep(60)', limits }),
  ])
  return { plain, tested, script, endless, asleep }
}

// promise: flaky
describe('a timeout on a busy worker', () => {
  let results: Awaited<ReturnType<typeof runAll>>

  beforeAll(async () => {
    results = await besideLoad(world.client, 10, runAll)
  })

  it('is not the verdict of a starved program, which passes in an exclusive second run and is marked flaky', (context) => {
    context.skip(RUNTIME === 'runsc', 'gVisor counts processor time that a program waits for')
    const { plain, tested, script } = results
    expect(plain).toMatchObject({ status: 'success', flaky: true, stdout: 'done\n' })
    expect(verdicts(tested)).toEqual(['passed', 'passed'])
    expect(tested).toMatchObject({ status: 'success', flaky: true, summary: { passed: 2, flaky: 1 } })
    expect(tested.tests?.map(({ flaky }) => flaky)).toEqual([true, undefined])
    expect(script).toMatchObject({ status: 'success', flaky: true, tests: [{ verdict: 'passed' }] })
  })

  it('stands after a second run for a program that never ends, and without one for a program that sleeps', () => {
    const { endless, asleep } = results
    expect(endless).toMatchObject({ status: 'timeout', tests: [{ verdict: 'timeout' }] })
    expect(endless.flaky).toBe(undefined)
    expect(asleep).toMatchObject({ status: 'timeout' })
    expect(asleep.flaky).toBe(undefined)
    // The endless program ran twice, beside others and exclusively.
    expect(endless.wallMs).toBeGreaterThan(1.5 * Number(asleep.wallMs))
  })
})
