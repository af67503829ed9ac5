import { readdirSync, readFileSync } from 'node:fs'
import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RUNTIME } from '../support/runtime.ts'
import { SOAK, sampled } from '../support/soak.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

/** Scripts that test the function `add` of each JavaScript program, which adds two numbers or joins two lists. */
const JAVASCRIPT = [
  `{
    const assert = require('node:assert')
    assert.deepEqual(add(2, 3), 5)
    assert.deepEqual(add([1], [2]), [1, 2])
  }`,
  `if (!Object.is(add(1, 1), 2)) throw new Error('1 + 1')`,
]
/** Language → scripts that test the function `add` of each program. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  python: [
    `
def check(candidate):
    assert candidate(2, 3) == 5
    assert candidate([1], [2]) == [1, 2]

for _ in range(5000): sorted([3, 1, 2])
check(add)`,
    `assert add([1], [2]) == [1, 2] and add([3], [4]) != [1, 2]`,
    `
def check(candidate):
    assert abs(candidate(0.5, 0.25) - 0.75) < 1e-9

check(add)`,
    `
import math

assert math.isclose(add(0.5, 0.25), 0.75)`,
  ],
  javascript: JAVASCRIPT,
  typescript: JAVASCRIPT,
  bash: [
    `[ "$(add 2 3)" = 5 ] || exit 1
[ "$(add 20 3)" = 23 ]`,
  ],
  c: [
    `#include <assert.h>
int main(void) {
  assert(add(2, 3) == 5);
  assert(add(20, 3) == 23);
  return 0;
}`,
  ],
}

interface Case {
  readonly language: string
  readonly name: string
  readonly code: string
  readonly scripts: readonly string[]
}

/** Every nth program of a folder. The soak runs all scripts with each, `npm test` half of them in turn. */
function cases(folder: string, every: number): Case[] {
  const root = new URL(`../fixtures/${folder}/`, import.meta.url)
  const all = readdirSync(root).flatMap((language) =>
    readdirSync(new URL(`${language}/`, root)).map((name, index) => {
      const code = readFileSync(new URL(`${language}/${name}`, root), 'utf8')
      return { language, name, code, scripts: sampled(SCRIPTS[language] ?? [], 2, index) }
    }),
  )
  return all.filter((_, index) => index % every === 0)
}

/** Title, options of the job, and n, where every nth program runs in this mode. */
type Mode = [string, Partial<JobInput>, number]

/** A preloaded interpreter treats scripts the same in both modes, so `npm test` uses only the faster one, in a batch. */
const MODES: Mode[] = [
  ['in containers of their own', {}, SOAK ? 1 : 24],
  ...(SOAK ? [['preloaded', { preload: true }, 1] satisfies Mode] : []),
  ['preloaded in a batch', { preload: true, reuse: 'batch', batchId: 'cheats' }, 1],
  [
    'in the process of the tests, preloaded in a batch',
    { separation: 'none', preload: true, reuse: 'batch', batchId: 'one-process' },
    SOAK ? 1 : 8,
  ],
]
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '3', ...WITHOUT_RETRIES } })
})

afterAll(async () => {
  await world?.close()
})

/** On a busy host, a short program took 9.7 seconds. Cheats may run until their timeout. */
function run(
  { language, code, scripts }: Case,
  mode: Partial<JobInput>,
  timeoutSeconds = 20,
): Promise<Result> {
  const tests = scripts.map((script) => ({ script }))
  return world.client.run({ language, code, tests, limits: { timeoutSeconds }, ...mode })
}

/** Cheats in the process of the tests that no harness there can tell from correct programs: they pass, but are marked. */
const MARKED: readonly string[] = ['python shadowed-abs.py', 'python equal-int.py', 'python no-distance.py']

/** Cheats in the process of the tests that fail without a mark, because they have no effect or come too late. */
const UNMARKED: readonly string[] = [
  'bash aliases.sh',
  'bash exit-when-called.sh',
  'bash open-quote.sh',
  'c comment-to-the-end.c',
  'c stopped-text.c',
  'javascript answers-in-time.js.txt',
  'javascript assert-from-the-cache.js.txt',
  'javascript changing-getter.js.txt',
  'javascript comment-to-the-end.js.txt',
  'javascript endless-iterator.js.txt',
  'javascript error-with-getters.js.txt',
  'javascript evaluates.js.txt',
  'javascript huge-message.js.txt',
  'javascript known-functions.js.txt',
  'javascript later-exit.js.txt',
  'javascript lying-value.js.txt',
  'javascript own-proto-keys.js.txt',
  'javascript patched-assert.js.txt',
  'javascript patched-iterator.js.txt',
  'javascript patched-json.js.txt',
  'javascript poisoned-then.js.txt',
  'javascript proxied-result.js.txt',
  'javascript raw-frames.js.txt',
  'javascript require-of-its-own.js.txt',
  'javascript same-object.js.txt',
  'javascript to-json.js.txt',
  'javascript to-primitive.js.txt',
  'javascript top-level-return.js.txt',
  'python check-defined-first.py',
  'python check-put-back.py',
  'python own-memory-by-another-path.py',
  'python patched-check.py',
  'python exit-in-a-destructor.py',
  'python generator.py',
  'python swallowed-tests.py',
  'typescript patched-assert.ts.txt',
  // Under gVisor its timer may fire too late to have an effect.
  ...(RUNTIME === 'runsc' ? ['python check-by-timer.py'] : []),
]

// promise: script-tests
describe.each(MODES)('%s', (_, mode, every) => {
  it.concurrent.each(cases('cheats', every))('does not pass: $language $name', async (each) => {
    const { attributable, tests = [] } = await run(each, mode)
    const isSplit = tests.every(({ separation }) => separation === 'process')
    const name = `${each.language} ${each.name}`
    const passed = tests.filter(({ verdict }) => verdict === 'passed')
    const marked = tests.flatMap(({ suspicious }) => suspicious ?? [])
    expect(attributable).toBe(true)
    if (isSplit || !MARKED.includes(name)) expect([name, passed]).toEqual([name, []])
    else expect(passed.filter(({ suspicious }) => suspicious === undefined)).toEqual([])
    // Code that cannot reach its tests needs no mark.
    if (!isSplit && !UNMARKED.includes(name)) expect([name, marked]).not.toEqual([name, []])
  })

  it.concurrent.each(cases('honest', every))(
    'passes, and is not suspicious: $language $name',
    async (each) => {
      const { tests = [], summary } = await run(each, mode, 90)
      for (const test of tests) expect(test).toMatchObject({ verdict: 'passed', diff: null })
      for (const { suspicious } of tests) expect(suspicious).toBeUndefined()
      expect(summary).toEqual({ passed: tests.length, total: tests.length, score: 1, status: 'success' })
    },
  )
})
