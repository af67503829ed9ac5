import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { IMAGES } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SOAK } from '../../../../test/support/soak.ts'
import { expectNoRecords } from '../support/open-driver.ts'
import { comparable, type Modes, openModes } from '../support/preload-modes.ts'

expectNoRecords()

/** Tests every nth program of both data sets; 1 for all. */
const EVERY = Number(process.env['TEST_DATA_EVERY'] ?? (SOAK ? 1 : 40))
/** Programs per test, so that a failure names only a few. */
const GROUP = 41

interface Problem {
  readonly name: string
  readonly code: string
}

function lines(name: string): Record<string, string & string[]>[] {
  const path = fileURLToPath(new URL(`../../../../test/data/${name}`, import.meta.url))
  return gunzipSync(readFileSync(path))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function problems(): Problem[] {
  const humanEval = lines('HumanEval.jsonl.gz').map((each) => ({
    name: String(each['task_id']),
    code: `${each['prompt']}${each['canonical_solution']}\n${each['test']}\ncheck(${each['entry_point']})\nprint('through')\n`,
  }))
  const mbpp = lines('mbpp.jsonl.gz').map((each) => ({
    name: `MBPP/${each['task_id']}`,
    code: [
      each['code'],
      // After the code, because the set-up may use names that the code defines.
      each['test_setup_code'],
      ...(each['test_list'] ?? []),
      ...(each['challenge_test_list'] ?? []),
      "print('through')\n",
    ].join('\n'),
  }))
  return [...humanEval, ...mbpp].filter((_, index) => index % EVERY === 0)
}

const all = problems()
const groups = Array.from({ length: Math.ceil(all.length / GROUP) }, (_, index) =>
  all.slice(index * GROUP, (index + 1) * GROUP),
)

describe('reference solutions', () => {
  let modes: Modes

  beforeAll(async () => {
    modes = await openModes([IMAGES.python, IMAGES.javascript])
  })

  afterAll(async () => {
    await modes.close()
  })

  it.each(groups.map((group) => [group[0]?.name, group] as const))(
    'have the same outcome plain, preloaded and forked: %s and the following',
    async (_, group) => {
      for (const { name, code } of group) {
        const plain = comparable(await modes.run('plain', 'python', code))
        expect([name, plain.status]).toEqual([name, 'success'])
        for (const mode of ['preloaded', 'forked'] as const) {
          const outcome = await modes.run(mode, 'python', code)
          expect(outcome.container.preloaded).toBe(true)
          expect({ name, mode, ...comparable(outcome) }).toEqual({ name, mode, ...plain })
        }
      }
    },
  )
})
