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

// Bash, because it starts faster than Python and the programs run many times.
const run = (job: JobInput) => world.client.run({ language: 'bash', ...job })
const verdicts = ({ tests = [] }: Awaited<ReturnType<typeof run>>) => tests.map(({ verdict }) => verdict)

const COIN = 'heads=$((SRANDOM % 2))'
/** Tosses of each of two coins: the probability that both coins show only one side each is 10^-6. */
const repeat = 11

// promise: flaky
describe.concurrent('a program that runs more than once', () => {
  it('is flaky if it ends differently each time, and gets the worst of its statuses', async () => {
    // All eight exit codes are the same only once in 250^7 runs.
    const result = await run({ code: 'exit $((1 + SRANDOM % 250))', repeat: 8 })
    expect(result).toMatchObject({ status: 'execution_error', flaky: true })
    expect(result.wallMs).toBeLessThan(result.timings.run)
  })

  it('is not flaky if it ends the same each time', async () => {
    const result = await run({ code: 'echo same', repeat: 3 })
    expect(result).toMatchObject({ status: 'success', stdout: 'same\n' })
    expect(result.flaky).toBe(undefined)
  })

  it('has each test judged separately, and on request ends at the first that fails', async () => {
    const tests = [
      { stdin: 'same', expected: 'same' },
      { name: 'random', stdin: 'random', expected: '' },
      { stdin: 'same', expected: 'same' },
    ]
    const code = 'read -r word; [ "$word" = random ] && echo $SRANDOM || echo $word'
    const all = await run({ code, tests, repeat: 3 })
    expect(verdicts(all)).toEqual(['passed', 'wrong_answer', 'passed'])
    const some = await run({ code, tests, repeat: 3, stopOnFirstFailure: true })
    expect(verdicts(some)).toEqual(['passed', 'wrong_answer', 'skipped'])
    expect([all.flaky, some.flaky]).toEqual([undefined, undefined])
  })

  it('marks flaky tests and counts them', async () => {
    const tests = [{ expected: '1' }, { expected: '1' }]
    const result = await run({ code: `${COIN}; echo $heads`, tests, repeat })
    expect(result.flaky).toBe(true)
    const flaky = result.tests?.filter((test) => test.flaky) ?? []
    expect(flaky.length).toBeGreaterThan(0)
    expect(result.summary?.flaky).toBe(flaky.length)
    expect(flaky.every(({ verdict }) => verdict === 'wrong_answer')).toBe(true)
  })

  it('runs its scripts each time', async () => {
    const script = '[ "$heads" = 1 ] || exit 1'
    const result = await run({ code: COIN, tests: [{ script }, { script }], repeat })
    expect(result.tests).toHaveLength(2)
    expect(result.flaky).toBe(true)
  })

  it('runs with its interactor and its checker each time', async () => {
    const judge = `${COIN}; exit $((42 + heads))`
    const checker = { type: 'program' as const, language: 'bash', code: judge }
    const checked = await run({ code: 'echo 1', tests: [{ checker }, { checker }], repeat })
    expect(checked.summary).toMatchObject({ total: 2, flaky: expect.any(Number) })
    const interactor = { language: 'bash', code: judge }
    const talked = await run({ code: 'true', tests: [{ interactor }, { interactor }], repeat })
    expect(talked.summary).toMatchObject({ total: 2, flaky: expect.any(Number) })
  })
})
