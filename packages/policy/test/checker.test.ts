import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { type Policy, RetryableError } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  openPolicyChecker,
  type PolicyChecker,
  type PolicyCheckerOptions,
  type PolicyDecision,
} from '../src/index.ts'

const ENFORCE: Policy = { mode: 'enforce', rules: 'strict' }
const WARN: Policy = { mode: 'warn', rules: 'strict' }
/** A source whose check takes seconds and several hundred megabytes. */
const HEAVY = 'a = b\n'.repeat(170_000)
/** A source that is large enough to be checked in a separate thread. */
const LARGE = HEAVY.slice(0, 200_000)
/** A source whose check takes so long that others have to wait. */
const SLOW = 'a = b\n'.repeat(5_000)

function python(code: string, files?: Record<string, { content: string; encoding: 'utf8' | 'base64' }>) {
  return { language: 'python', filename: 'main.py', code, files }
}

async function open(options: PolicyCheckerOptions): Promise<PolicyChecker> {
  const checker = await openPolicyChecker(options)
  onTestFinished(() => checker.close())
  return checker
}

let checker: PolicyChecker

beforeAll(async () => {
  checker = await openPolicyChecker()
})

afterAll(() => checker.close())

describe('PolicyChecker', () => {
  it('reports problems in the words of the service plan in mode enforce', async () => {
    expect(await checker.check(python('import os; os.system("ls")'), ENFORCE)).toMatchObject({
      policy: ENFORCE,
      checked: true,
      problems: ['Blocked import: os', 'Blocked function: os.system'],
      warnings: [],
    })
  })

  it('only warns in mode warn, with the place and that it is not enforced', async () => {
    const decision = await checker.check(python('x = 1\nimport os'), WARN)
    expect(decision).toMatchObject({
      problems: [],
      warnings: ['policy: main.py:2: Blocked import: os (not enforced)'],
    })
  })

  it('does not turn warnings into problems in mode enforce', async () => {
    const decision = await checker.check(python('import socket'), { mode: 'enforce', rules: 'standard' })
    expect(decision).toMatchObject({ problems: [], warnings: ['policy: main.py:1: Risky import: socket'] })
  })

  it('finds nothing in mode off, and reports the source as unchecked', async () => {
    const decision = await checker.check(python('eval("1")'), { mode: 'off', rules: 'strict' })
    expect(decision).toMatchObject({ checked: false, problems: [], warnings: [], findings: [] })
  })

  it('chooses the rules by the file name, whatever the catalogue calls the language', async () => {
    const program = { language: 'data-science', filename: 'job.py', code: 'import os' }
    expect((await checker.check(program, ENFORCE)).problems).toEqual(['Blocked import: os'])
    const plain = { language: 'bash', filename: 'script', code: 'eval x' }
    expect((await checker.check(plain, ENFORCE)).problems).toEqual(['Blocked command: eval'])
  })

  it('reports a language without rules as unchecked', async () => {
    const program = { language: 'c', filename: 'main.c', code: 'int main() {}' }
    expect(await checker.check(program, ENFORCE)).toMatchObject({
      checked: false,
      problems: [],
      warnings: ['policy: no rules for c; the source was not checked'],
    })
    expect(await checker.check(program, WARN)).toMatchObject({ checked: false, warnings: [] })
  })
})

describe('files of a job', () => {
  it('are checked if they are source, in either encoding', async () => {
    const files = {
      'lib/helper.py': { content: 'import os', encoding: 'utf8' },
      'run.sh': { content: Buffer.from('rm -rf /').toString('base64'), encoding: 'base64' },
      'data.csv': { content: 'import os', encoding: 'utf8' },
    } as const
    expect((await checker.check(python('import helper', files), ENFORCE)).problems).toEqual([
      'lib/helper.py: Blocked import: os',
      'run.sh: Blocked command: rm -rf',
    ])
  })

  it('are refused in mode enforce, with a warning in mode warn, if they are compiled or too large', async () => {
    const small = await open({ maxCharacters: 100 })
    const files = {
      'a.so': { content: '', encoding: 'utf8' },
      'b.py': { content: `import os${' '.repeat(100)}`, encoding: 'utf8' },
    } as const
    const gaps = [
      'a.so was not checked: compiled code',
      'b.py was not checked: a job may have 100 characters of source, and this has 109',
    ]
    expect(await small.check(python('x = 1', files), ENFORCE)).toMatchObject({
      checked: false,
      problems: gaps.map((gap) => `Unchecked source: ${gap}`),
      warnings: [],
    })
    expect(await small.check(python('x = 1', files), WARN)).toMatchObject({
      checked: false,
      problems: [],
      warnings: gaps.map((gap) => `policy: ${gap}`),
    })
  })

  it.each([
    ['python', 'main.py', 'import importlib.machinery as m\nm.SourceFileLoader("x", "x.txt").load_module()'],
    ['javascript', 'main.js', 'require("./data.txt")'],
    ['python', 'main.py', 'import zipimport as z\nz.zipimporter("data.txt").load_module("m")'],
    ['python', 'main.py', 'import site\nsite.addsitedir("lib")'],
    ['python', 'main.py', 'from pydoc import importfile as f\nf("data.txt")'],
    ['bash', 'main.sh', 'source ./data.txt'],
    ['bash', 'main.sh', '. lib/no-extension'],
    ['bash', 'main.sh', 'bash -e data.txt'],
  ])('cannot be run unchecked, whatever their names: %s %s %s', async (language, filename, code) => {
    const hidden = { content: 'curl example.com', encoding: 'utf8' } as const
    const files = {
      'data.txt': hidden,
      'x.txt': hidden,
      'lib/no-extension': hidden,
    } as const
    const { problems } = await checker.check(
      { language, filename, code, files },
      { mode: 'enforce', rules: 'standard' },
    )
    expect(problems.join()).toMatch(/not source by its name|import_module/)
  })

  it('are treated as data of a program that does not run them', async () => {
    const data = { content: 'curl example.com; eval(x', encoding: 'utf8' } as const
    const files = {
      'data.txt': data,
      input: data,
      'package.json': { content: '{"type": "commonjs"}', encoding: 'utf8' },
    } as const
    for (const [language, filename, code] of [
      ['python', 'main.py', 'print(1)'],
      ['javascript', 'main.js', 'console.log(require("./package.json").type, "data.txt")'],
      ['bash', 'main.sh', 'grep x data.txt; wc -l < input; bash -c "cat data.txt"'],
    ] as const) {
      const decision = await checker.check(
        { language, filename, code, files },
        { mode: 'enforce', rules: 'standard' },
      )
      expect([language, decision.problems, decision.checked]).toEqual([language, [], true])
    }
  })

  it('add at most 20 problems to a result', async () => {
    const file = { content: 'import os, sys', encoding: 'utf8' } as const
    const files = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`f${n}.py`, file]))
    const { problems } = await checker.check(python('x = 1', files), ENFORCE)
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('and 108 more')
  })
})

describe('PolicyChecker refuses in mode enforce, and warns otherwise, if it cannot check', () => {
  const expectGap = async (
    checked: PolicyChecker,
    code: string,
    gap: string,
    found: readonly string[] = [],
  ) => {
    expect(await checked.check(python(code), ENFORCE)).toMatchObject({
      checked: false,
      problems: [...found, `Unchecked source: ${gap}`],
      warnings: [],
    })
    expect(await checked.check(python(code), WARN)).toMatchObject({
      checked: false,
      problems: [],
      warnings: expect.arrayContaining([`policy: ${gap}`]),
    })
  }

  it('a source with syntax errors, whose other parts it checks', async () => {
    const gap = 'main.py could not be parsed as a whole; what could be was checked'
    await expectGap(checker, 'def f(:\n  pass\nimport os', gap, ['Blocked import: os'])
  })

  it('a source within the CPU time; it replaces the thread, and the next check works', async () => {
    const impatient = await open({ cpuMs: 200 })
    await expectGap(impatient, HEAVY, 'main.py was not checked: it took too long')
    const decisions: PolicyDecision[] = []
    // On a busy host even a short check can exceed this CPU time.
    for (let tries = 0; tries < 50 && !decisions.some(({ checked }) => checked); tries++) {
      decisions.push(await impatient.check(python('import os'), WARN))
    }
    expect(decisions.at(-1)?.findings.map(({ rule }) => rule)).toEqual(['python/import-os'])
  })

  it('a source within the memory of a thread; the process survives, and the next check works', async () => {
    const cramped = await open({ heapMb: 40, cpuMs: 60_000 })
    await expectGap(cramped, LARGE, 'main.py was not checked: the check of it took too much memory')
    expect((await cramped.check(python('import os'), ENFORCE)).problems).toEqual(['Blocked import: os'])
  })
})

describe('PolicyChecker does not blame a source for a busy or stopping worker', () => {
  it('a check above the maximum queue is retryable in mode enforce, and a warning in mode warn', async () => {
    const narrow = await open({ waiting: 1, cpuMs: 60_000 })
    const running = narrow.check(python(SLOW), ENFORCE)
    const waiting = narrow.check(python('import os'), ENFORCE)
    await expect(narrow.check(python('import os'), ENFORCE)).rejects.toThrow(RetryableError)
    expect(await narrow.check(python('import os'), WARN)).toMatchObject({
      checked: false,
      warnings: ['policy: main.py was not checked: too many checks are waiting'],
    })
    expect([(await running).problems, (await waiting).problems]).toEqual([[], ['Blocked import: os']])
  })

  it('a check that waits or runs when the checker closes is retryable or a warning, too', async () => {
    const closing = await open({ cpuMs: 60_000 })
    const warned = closing.check(python(HEAVY), WARN)
    const refused = [HEAVY, 'import os'].map((code) =>
      expect(closing.check(python(code), ENFORCE)).rejects.toThrow('the worker is stopping'),
    )
    await closing.close()
    await Promise.all(refused)
    expect(await warned).toMatchObject({ checked: false, problems: [] })
    await expect(closing.check(python('import os'), ENFORCE)).rejects.toThrow(RetryableError)
  })
})

it('an abort ends the wait for a policy check with its reason', async () => {
  const slow = await open({ cpuMs: 60_000 })
  const running = slow.check(python(SLOW), ENFORCE)
  const abort = new AbortController()
  const waiting = slow.check(python('import os'), ENFORCE, abort.signal)
  const reason = new Error('cancelled')
  abort.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  await expect(slow.check(python('x'), ENFORCE, abort.signal)).rejects.toBe(reason)
  expect((await running).problems).toEqual([])
})

it('the policy check of a source of maximum size does not block the event loop', async () => {
  const patient = await open({ cpuMs: 60_000 })
  const delays = monitorEventLoopDelay({ resolution: 1 })
  const used = performance.eventLoopUtilization()
  delays.enable()
  await patient.check(python(HEAVY.slice(0, 300_000)), ENFORCE)
  delays.disable()
  // Measures active time instead of delays, because a busy host delays the process, too.
  expect(performance.eventLoopUtilization(used).utilization).toBeLessThan(0.5)
  expect(delays.count).toBeGreaterThan(10)
})

it('policy checks of large sources do not delay that of a small one', async () => {
  const patient = await open({ cpuMs: 60_000 })
  const done: string[] = []
  const check = async (name: string, code: string) => {
    await patient.check(python(code), ENFORCE)
    done.push(name)
  }
  await Promise.all([check('large', LARGE), check('large', LARGE), check('small', 'print(1)')])
  expect(done).toEqual(['small', 'large', 'large'])
})

it('concurrent policy checks each get their own result', async () => {
  const codes = Array.from({ length: 50 }, (_, n) => (n % 3 === 0 ? 'import os' : 'x = 1'))
  const decisions = await Promise.all(codes.map((code) => checker.check(python(code), ENFORCE)))
  expect(decisions.map(({ problems }) => problems.length)).toEqual(codes.map((_, n) => (n % 3 === 0 ? 1 : 0)))
})
