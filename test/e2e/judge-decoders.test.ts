import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SOAK } from '../support/soak.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

/** Number of seeds of each language, and the first one. */
const COUNT = SOAK ? 400 : 40
const FIRST = Number(process.env['TEST_SEED'] ?? 1)

const liar = (name: string) => readFileSync(new URL(`../fixtures/liars/${name}`, import.meta.url), 'utf8')

/** Each asks for many kinds of values; no random answer is `SECRET`. */
const CASES: [string, string, string][] = [
  [
    'python',
    liar('liar.py'),
    `
seen = []
results = []
for given in (1, [1, 2], {'a': {1}}, lambda x: seen.append(x), iter([1, 2]), 'text'):
    try:
        result = f(given)
        if result == 'SECRET':
            break
        results.append(result)
        for _, item in zip(range(3), result):
            results.append(item)
        results.append([result.x, str(result), len(result), result + 1, result[0], result == given, result < 3])
    except (TypeError, AttributeError, ValueError, KeyError, IndexError, ArithmeticError):
        pass
else:
    assert results[-1] == ['SECRET'] or f(0) == 'SECRET'`,
  ],
  [
    'javascript',
    liar('liar.js'),
    `
const { isDeepStrictEqual } = require('node:util')
const results = []
let isKnown = false
for (const given of [1, [1, 2], { a: new Set([1]) }, (x) => results.push(x), 'text', new Map([[1, 2]])]) {
  try {
    const result = f(given)
    isKnown ||= result === 'SECRET' || isDeepStrictEqual([result], ['SECRET'])
    results.push(result)
    results.push([result.name, \`\${result}\`, result + 1, result[0], result === given, result < 3])
    for (const item of result) results.push(item)
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
  }
}
require('node:assert')(isKnown || isDeepStrictEqual(results.at(-1), ['SECRET']))`,
  ],
]

let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ...WITHOUT_RETRIES } })
})

afterAll(async () => {
  await world?.close()
})

// promise: split-judging
describe('code that answers the judge with random messages', () => {
  it.each(CASES)(
    'never passes, and is never a fault: %s',
    { timeout: scaled(1_800_000) },
    async (language, code, script) => {
      const seeds = Array.from({ length: COUNT }, (_, at) => FIRST + at)
      const ran = seeds.map(async (seed) => {
        const own = code.replaceAll('SEED', String(seed))
        const limits = { timeoutSeconds: scaled(5) }
        const batch = { preload: true, reuse: 'batch', batchId: 'liars' } as const
        const result = await world.client.run({ language, code: own, tests: [{ script }], limits, ...batch })
        return [seed, result] as const
      })
      const verdicts = new Set<string | undefined>()
      for (const [seed, { status, attributable, tests }] of await Promise.all(ran)) {
        const verdict = tests?.[0]?.verdict
        expect([seed, status]).not.toEqual([seed, 'setup_error'])
        expect([seed, attributable, verdict]).toEqual([
          seed,
          true,
          expect.not.stringMatching(/^(passed|judge_error)$/),
        ])
        verdicts.add(verdict)
      }
      // Answers reach deep enough to be judged in several ways.
      expect(verdicts.size, [...verdicts].join(' ')).toBeGreaterThan(1)
    },
  )
})
