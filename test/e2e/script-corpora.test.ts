import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { humanEval, mbpp } from '../support/corpora.ts'
import { SOAK } from '../support/soak.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

/** Every nth program of both data sets runs; 1 for all. */
const EVERY = Number(process.env['TEST_DATA_EVERY'] ?? (SOAK ? 10 : 150))
const problems = [...humanEval(), ...mbpp()].filter((_, index) => index % EVERY === 0)
/** MBPP/123 computes for seconds, and a slow host takes many times as long. */
const limits = { timeoutSeconds: 120 }
/** Some programs without their return statements never end. */
const BRIEF = { timeoutSeconds: 10 }
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '3' } })
})

afterAll(async () => {
  await world?.close()
})

const MODES: [string, Partial<JobInput>][] = [
  ['in containers of their own', {}],
  ['preloaded', { preload: true }],
  ['as forks in a batch', { preload: true, reuse: 'batch', batchId: 'corpora' }],
]

describe.each(MODES)('reference solutions %s', (_, mode) => {
  // promise: script-tests
  it('all pass, and none is suspicious', { timeout: scaled(600_000) }, async () => {
    const ran = problems.map(async ({ name, code, script }) => {
      const { tests, summary } = await world.client.run({ code, tests: [{ script }], limits, ...mode })
      return { name, tests, summary }
    })
    for (const { name, tests, summary } of await Promise.all(ran)) {
      expect([name, tests?.[0]]).toMatchObject([name, { verdict: 'passed', diff: null }])
      expect([name, tests?.[0]?.suspicious]).toEqual([name, undefined])
      expect(summary).toEqual({ passed: 1, total: 1, score: 1, status: 'success' })
    }
  })

  it('fail once their return statements are removed', { timeout: scaled(600_000) }, async () => {
    const ran = problems.slice(0, 40).map(async ({ name, code, script }) => {
      const broken = code.replaceAll(/^( *)return .*$/gm, '$1pass')
      const { tests } = await world.client.run({ code: broken, tests: [{ script }], limits: BRIEF, ...mode })
      return [name, tests?.[0]?.verdict, code === broken]
    })
    const passed = (await Promise.all(ran)).filter(([, verdict, same]) => verdict === 'passed' && !same)
    expect(passed).toEqual([])
  })
})
