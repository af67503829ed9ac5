import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

const JUDGE = new URL('../../packages/languages/programs/python/split/', import.meta.url)
const PROGRAM = readFileSync(new URL('../fixtures/judges/count_foreseen.py', import.meta.url), 'utf8')
const FILES = Object.fromEntries(
  readdirSync(JUDGE).map((name) => [name, { content: readFileSync(new URL(name, JUDGE), 'utf8') }]),
)

const ADD = 'def add(x, y): return x + y\ndef double(x): return 2 * x\n'
const CHECK = 'def check(candidate):\n'

let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ...WITHOUT_RETRIES } })
})

afterAll(async () => {
  await world?.close()
})

// Without it every call is a round trip through two containers and the worker.
describe('a Python judge foresees the calls of a script', () => {
  it.concurrent.each([
    ['assertions', 'assert add(1, 2) == 3\nassert double(add(0, 2) - add(0, 0)) == 4', 1],
    [
      'assertions of a function',
      `${CHECK}    assert candidate(1, 2) == 3\n    assert candidate(2, 2) == 4\ncheck(add)`,
      2,
    ],
    ['a loop', 'for x in range(100):\n    assert add(x, 1) == x + 1', 100],
    [
      'a loop with random numbers',
      `${CHECK}    import random\n    for i in range(50):\n        x, y = random.randint(0, 9), random.randint(0, 9)\n        assert candidate(x, y) == x + y\ncheck(add)`,
      50,
    ],
    ['an answer as an argument', 'for x in range(20):\n    y = double(x)\n    assert double(y) == 4 * x', 40],
    ['rows', 'rows = [((1, 2), 3), ((2, 3), 5)]\nfor (x, y), sum in rows:\n    assert add(x, y) == sum', 2],
  ])('%s', async (_, script, calls) => {
    const stdin = JSON.stringify([ADD, script])
    const result = await world.client.run({ code: PROGRAM, files: FILES, stdin })
    expect(result.stderr).toBe('')
    const [foreseen, , end, message] = JSON.parse(result.stdout) as [number, number, string, string]
    expect({ foreseen, end, message }).toEqual({ foreseen: calls, end: 'passed', message: '' })
  })
})
