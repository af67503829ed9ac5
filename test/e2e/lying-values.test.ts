import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SOAK } from '../support/soak.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

const FOLDER = new URL('../fixtures/lies/', import.meta.url)
const EXTENSIONS = { python: 'py', javascript: 'js' } as const
/** Of all pairs of a value and a script, one in so many; the soak runs all unless `TEST_DATA_EVERY` is set. */
const EVERY = Number(process.env['TEST_DATA_EVERY'] ?? (SOAK ? 1 : 61))
/** Pairs that wait in the queue at once. */
const AT_ONCE = 16

type Scripted = keyof typeof EXTENSIONS

/** Parts of a text, each after a line such as `# value NAME`. */
function partsOf(text: string, word: string): [name: string, part: string][] {
  const [, ...parts] = text.split(new RegExp(`^(?:#|//) ${word} `, 'm'))
  return parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)])
}

/** Each value with each script. */
function pairsOf(language: Scripted) {
  const [values = '', scripts = ''] = ['values', 'scripts'].map((name) =>
    readFileSync(new URL(`${name}.${EXTENSIONS[language]}.txt`, FOLDER), 'utf8'),
  )
  const [lies = '', shared = ''] = values.split(/^(?:#|\/\/) code\n/m)
  return partsOf(lies, 'value').flatMap(([value, code]) =>
    partsOf(scripts, 'script').map(([name, script]) => ({
      name: `${value}, ${name}`,
      code: code + shared,
      script,
    })),
  )
}

let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ...WITHOUT_RETRIES } })
})

afterAll(async () => {
  await world?.close()
})

// promise: split-judging
describe('values that claim to be equal to everything', () => {
  it.each(['python', 'javascript'] as const)(
    'pass no script: %s',
    { timeout: scaled(1_800_000) },
    async (language) => {
      const waiting = pairsOf(language).filter((_, at) => at % EVERY === 0)
      const total = waiting.length
      const wrong: string[] = []
      const verdicts: Record<string, number> = {}
      const judge = async () => {
        for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
          const { code, script } = pair
          const { tests, attributable } = await world.client.run({
            language,
            code,
            tests: [{ script }],
            reuse: 'batch',
            batchId: 'lies',
            limits: { timeoutSeconds: 5 },
          })
          const verdict = tests?.[0]?.verdict ?? 'none'
          verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
          const isFair = verdict === 'unverified' || attributable
          if (verdict === 'passed' || !isFair) wrong.push(`${pair.name}: ${verdict}`)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, judge))
      console.log(`${language}: ${total} pairs`, verdicts)
      expect(wrong).toEqual([])
      expect(total).toBeGreaterThan(50)
    },
  )
})
