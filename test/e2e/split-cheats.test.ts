import { readdirSync, readFileSync } from 'node:fs'
import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SOAK, sampled } from '../support/soak.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

const FOLDER = new URL('../fixtures/split-cheats/', import.meta.url)

/** Scripts that test the function `add` of each JavaScript program, which adds two numbers or joins two lists. */
const JAVASCRIPT = [
  `{
    const assert = require('node:assert')
    assert.deepEqual(add(2, 3), 5)
    assert.deepEqual(add([1], [2]), [1, 2])
  }`,
  `if (!Object.is(add(1, 1), 2)) throw new Error('1 + 1')`,
  `if (JSON.stringify([...add([1], [2])].map((each) => each * 2)) !== '[2,4]') throw new Error('1 and 2')`,
]
/** Language → scripts, which no wrong solution passes. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  python: [
    `
def check(candidate):
    assert candidate(2, 3) == 5
    assert candidate([1], [2]) == [1, 2]

check(add)`,
    `
import math

assert abs(add(0.5, 0.25) - 0.75) < 1e-9
assert math.isclose(add(0.5, 0.25), 0.75)`,
    `
import unittest

class AddTest(unittest.TestCase):
    def test_lists(self):
        self.assertEqual(add([1], [2]), [1, 2])

    def test_items(self):
        self.assertCountEqual(add([1], [2]), [1, 2])

    def test_types(self):
        with self.assertRaises(TypeError):
            add(1, [2])

unittest.main()`,
    `
seen = []
for item in add([1], [2]):
    seen.append(item)
assert seen == [1, 2], f'{seen} of {add([1], [2])}'`,
    `
result = add([1], [2])
assert all(map(lambda at: result[at] == [1, 2][at], range(2)))
assert sorted(result) == [1, 2] and len(result) == 2`,
    `
values = [1]
try:
    total = add(values, [2])
except Exception:
    total = None
assert values == [1]
if total != [1, 2]:
    raise Exception(total)`,
    `
class Money:
    def __init__(self, cents):
        self.cents = cents

    def equals(self, other):
        return self.cents == other.cents

three = add(Money(1), Money(2))
assert Money(3).equals(three) and three.cents == 3`,
    `
for number in range(40):
    total = add(number, 1)
    assert add(total, total) == 2 * number + 2`,
  ],
  javascript: JAVASCRIPT,
  typescript: JAVASCRIPT,
}

interface Cheat {
  readonly language: string
  readonly name: string
  readonly code: string
  readonly scripts: readonly string[]
}

/**
 * Every nth program of the folder. Some have a script of their own, after a line `script` in a comment; of the others the soak runs
 * all scripts with each, `npm test` a third of them in turn.
 */
function cheats(every: number): Cheat[] {
  const all = readdirSync(FOLDER).flatMap((language) =>
    readdirSync(new URL(`${language}/`, FOLDER)).map((name, index) => {
      const text = readFileSync(new URL(`${language}/${name}`, FOLDER), 'utf8')
      const [code = '', ...own] = text.split(/^(?:#|\/\/) script\n/m)
      return {
        language,
        name,
        code,
        scripts: own.length > 0 ? own : sampled(SCRIPTS[language] ?? [], 3, index),
      }
    }),
  )
  return all.filter((_, index) => index % every === 0)
}

/** Title, options of the job, and n, where every nth program runs in this mode. */
const MODES: [string, Partial<JobInput>, number][] = [
  ['in containers of their own', {}, SOAK ? 1 : 12],
  ...(SOAK ? [['preloaded', { preload: true }, 1] satisfies [string, Partial<JobInput>, number]] : []),
  ['preloaded in a batch', { preload: true, reuse: 'batch', batchId: 'split-cheats' }, 1],
]
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '3', ...WITHOUT_RETRIES } })
})

afterAll(async () => {
  await world?.close()
})

// promise: split-judging
describe.each(MODES)('code that cheats its judge, %s', (_, mode, every) => {
  it.concurrent.each(cheats(every))('does not pass, and is no fault: $language $name', async (each) => {
    const { language, code, scripts } = each
    const limits = { timeoutSeconds: 5 }
    const tests = scripts.map((script) => ({ script }))
    const result = await world.client.run({ language, code, tests, limits, ...mode })
    expect(result.status).not.toBe('setup_error')
    expect(result.attributable).toBe(true)
    expect(result.tests).toHaveLength(tests.length)
    for (const test of result.tests ?? []) {
      expect(test.separation).toBe('process')
      expect(['passed', 'judge_error']).not.toContain(test.verdict)
    }
  })
})
