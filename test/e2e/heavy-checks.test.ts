import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

const MIB = 1024 * 1024
const NAMES = 800_000
const EXPECTED = 80_000
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '6' } })
})
afterAll(() => world?.close())

/** A job with four tests whose outputs are almost ten megabytes of names, most of them not expected. */
function heavy(tenant: string): JobInput {
  const code = `print("{" + ",".join(f'"k{n}":0' for n in range(${NAMES})) + "}")`
  const expected = `{${Array.from({ length: EXPECTED }, (_, n) => `"k${n}":0`)}}`
  const limits = { outputBytes: 10 * MIB, timeoutSeconds: 60, memoryMb: 512 }
  const tests = Array.from({ length: 4 }, () => ({ expected, checker: 'json' as const }))
  return { language: 'python', tenant, code, limits, tests }
}

/** A job whose output is too long to be compared in the worker's main thread. */
function light(tenant: string): JobInput {
  const tests = [{ expected: `${'word '.repeat(10_000)}\n`, checker: 'tokens' as const }]
  return { language: 'bash', tenant, code: 'for i in {1..10000}; do echo word; done', tests }
}

// promise: tests
it('jobs of another tenant are not delayed by outputs that take long to compare', async () => {
  const done: string[] = []
  const run = async (name: string, job: JobInput) => {
    const result = await world.client.run(job)
    done.push(name)
    return result
  }
  const slow = ['a', 'a', 'b'].map((tenant) => run('heavy', heavy(tenant)))
  const quick = Array.from({ length: 6 }, () => run('light', light('c')))
  for (const { summary } of await Promise.all(quick)) expect(summary?.passed).toBe(1)
  for (const { tests = [] } of await Promise.all(slow)) {
    expect(tests.map(({ diff }) => diff)).toEqual(Array(4).fill(`$: "k${EXPECTED}" was not expected`))
  }
  expect(done.slice(0, 6)).toEqual(Array(6).fill('light'))
})

// promise: tests
it('a comparison that exceeds its CPU time is a wrong answer, and the verdict says so', async () => {
  const result = await world.client.run({
    language: 'python',
    code: 'print("a" * 1_000_000)',
    limits: { outputBytes: 2 * MIB },
    tests: [
      { expected: `.*${'a{0,900}'.repeat(5)}b`, checker: 'regex' },
      { expected: 'a+', checker: 'regex' },
    ],
  })
  expect(result).toMatchObject({ status: 'success', attributable: true, summary: { passed: 1, total: 2 } })
  expect(result.tests).toMatchObject([
    { verdict: 'wrong_answer', diff: 'the comparison took more than 10 s of CPU time' },
    { verdict: 'passed' },
  ])
})
