import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { humanEval, mbpp } from '../support/corpora.ts'
import { mutantsOf } from '../support/mutants.ts'
import { SOAK } from '../support/soak.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

/** Number of changed reference solutions. `npm run test:soak` has all of them. */
const COUNT = SOAK ? 2000 : 60
/** Some changes make a program endless; all others must end in time, on a slow host, too. */
const limits = { timeoutSeconds: scaled(4) }

interface Sample {
  readonly name: string
  readonly code: string
  readonly script: string
}

/** Changed reference solutions, spread over all problems and all changes. */
function samples(): Sample[] {
  const all = [...humanEval(), ...mbpp()].flatMap(({ name, code, script }) =>
    mutantsOf(code).map((mutant, at) => ({ name: `${name} ${at}`, code: mutant, script })),
  )
  // A step that shares no factor with their number visits each of them once.
  const step = 7919
  return Array.from({ length: COUNT }, (_, at) => all[(at * step) % all.length] as Sample)
}

let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '3' }, workers: 2 })
})

afterAll(async () => {
  await world?.close()
})

function judge(given: readonly Sample[], mode: Partial<JobInput>): Promise<(readonly [string, Result])[]> {
  return Promise.all(
    given.map(async ({ name, code, script }) => {
      const result = await world.client.run({ code, tests: [{ script }], limits, preload: true, ...mode })
      return [name, result] as const
    }),
  )
}

function verdictsOf(results: readonly (readonly [string, Result])[]): Map<string, string | undefined> {
  return new Map(results.map(([name, { tests }]) => [name, tests?.[0]?.verdict]))
}

// promise: split-judging
describe('changed reference solutions', () => {
  it('pass exactly if code and script pass as one plain program, in every order and batch', {
    timeout: 3_600_000,
  }, async () => {
    const all = samples()
    const judged = await judge(all, { reuse: 'batch', batchId: 'one' })
    for (const [name, { status, attributable, tests }] of judged) {
      expect([name, status, attributable]).not.toEqual([name, 'setup_error', attributable])
      expect([name, attributable]).toEqual([name, true])
      expect([name, tests?.[0]?.verdict]).not.toEqual([name, 'judge_error'])
    }
    const verdicts = verdictsOf(judged)
    const again = verdictsOf(await judge(all.toReversed(), { reuse: 'batch', batchId: 'two' }))
    const plain = await Promise.all(
      all.map(async ({ name, code, script }) => {
        const whole = `${code}\n${script}\n`
        const job = { code: whole, limits, preload: true, reuse: 'batch', batchId: 'plain' } as const
        const { status, wallMs } = await world.client.run(job)
        return { name, status, seconds: (wallMs ?? 0) / 1000 }
      }),
    )
    // Whether those that take nearly as long as the limit are over it depends on the host's load.
    const close = new Set(
      plain.filter(({ seconds }) => seconds > limits.timeoutSeconds / 4).map(({ name }) => name),
    )
    for (const [name, verdict] of verdicts) {
      const isClose = close.has(name) && [verdict, again.get(name)].includes('timeout')
      if (!isClose) expect([name, again.get(name)]).toEqual([name, verdict])
    }
    const different = plain.filter(({ name, status }) => {
      const verdict = verdicts.get(name)
      const isClose = close.has(name) && [verdict, status].includes('timeout')
      // A program that only the code could judge is the one difference that split judging may make.
      return verdict !== 'unverified' && !isClose && (verdict === 'passed') !== (status === 'success')
    })
    expect(different.map(({ name }) => [name, verdicts.get(name)])).toEqual([])
    const unverified = [...verdicts.values()].filter((verdict) => verdict === 'unverified')
    expect(unverified.length).toBeLessThanOrEqual(COUNT / 100)
  })
})
