import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Policy } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  openPolicyChecker,
  type PolicyChecker,
  type PolicyCheckerOptions,
  type PolicyDecision,
} from '../src/index.ts'

const ENFORCE: Policy = { mode: 'enforce', rules: 'strict' }
const WARN: Policy = { mode: 'warn', rules: 'strict' }
/** Takes a parser seconds and a thread some hundred megabytes. */
const HEAVY = 'a = b\n'.repeat(170_000)
/** Takes a thread of its own. */
const LARGE = HEAVY.slice(0, 200_000)
/** Takes long enough for others to have to wait. */
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

describe('a policy', () => {
  it('refuses in mode enforce, in the words of the document', async () => {
    expect(await checker.check(python('import os; os.system("ls")'), ENFORCE)).toMatchObject({
      policy: ENFORCE,
      checked: true,
      problems: ['Blocked import: os', 'Blocked function: os.system'],
      warnings: [],
    })
  })

  it('only warns in mode warn, with place and fate', async () => {
    const decision = await checker.check(python('x = 1\nimport os'), WARN)
    expect(decision).toMatchObject({
      problems: [],
      warnings: ['policy: main.py:2: Blocked import: os (not enforced)'],
    })
  })

  it('keeps warnings warnings in mode enforce', async () => {
    const decision = await checker.check(python('import socket'), { mode: 'enforce', rules: 'standard' })
    expect(decision).toMatchObject({ problems: [], warnings: ['policy: main.py:1: Risky import: socket'] })
  })

  it('finds nothing in mode off, and says that it has not looked', async () => {
    const decision = await checker.check(python('eval("1")'), { mode: 'off', rules: 'strict' })
    expect(decision).toMatchObject({ checked: false, problems: [], warnings: [], findings: [] })
  })

  it('reads a language by the name of its file, whatever the catalogue calls it', async () => {
    const program = { language: 'data-science', filename: 'job.py', code: 'import os' }
    expect((await checker.check(program, ENFORCE)).problems).toEqual(['Blocked import: os'])
    const plain = { language: 'bash', filename: 'script', code: 'eval x' }
    expect((await checker.check(plain, ENFORCE)).problems).toEqual(['Blocked command: eval'])
  })

  it('does not let a language without rules pass as checked', async () => {
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
  it('are checked where they are source, in either encoding', async () => {
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

  it('are a warning where they are compiled, and where they are too much', async () => {
    const small = await open({ maxCharacters: 100 })
    const files = {
      'a.so': { content: '', encoding: 'utf8' },
      'b.py': { content: `import os${' '.repeat(100)}`, encoding: 'utf8' },
    } as const
    expect(await small.check(python('x = 1', files), ENFORCE)).toMatchObject({
      checked: false,
      problems: [],
      warnings: [
        'policy: a.so was not checked: compiled code',
        'policy: b.py was not checked: too much source in one job',
      ],
    })
  })

  it('make no result grow without end', async () => {
    const file = { content: 'import os, sys', encoding: 'utf8' } as const
    const files = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`f${n}.py`, file]))
    const { problems } = await checker.check(python('x = 1', files), ENFORCE)
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('and 108 more')
  })
})

describe('what cannot be checked is a warning, neither a pass nor a refusal', () => {
  it('a source that does not parse, of which the rest is checked', async () => {
    const decision = await checker.check(python('def f(:\n  pass\nimport os'), ENFORCE)
    expect(decision).toMatchObject({
      checked: false,
      problems: ['Blocked import: os'],
      warnings: ['policy: main.py could not be parsed as a whole; what could be was checked'],
    })
  })

  it('a check that takes too long: its thread is replaced, the next check works', async () => {
    const impatient = await open({ cpuMs: 50 })
    const decision = await impatient.check(python(HEAVY), ENFORCE)
    expect(decision).toMatchObject({
      checked: false,
      problems: [],
      warnings: ['policy: the source was not checked: it took too long'],
    })
    const decisions: PolicyDecision[] = []
    // So little time may be too little for an honest check on a busy host, too.
    for (let tries = 0; tries < 50 && !decisions.some(({ checked }) => checked); tries++) {
      decisions.push(await impatient.check(python('import os'), ENFORCE))
    }
    expect(decisions.at(-1)?.problems).toEqual(['Blocked import: os'])
  })

  it('a check that fills its thread: the process lives, the next check works', async () => {
    const cramped = await open({ heapMb: 40, cpuMs: 60_000 })
    expect(await cramped.check(python(HEAVY), ENFORCE)).toMatchObject({
      checked: false,
      problems: [],
      warnings: ['policy: the source was not checked: the check failed on it'],
    })
    expect((await cramped.check(python('import os'), ENFORCE)).problems).toEqual(['Blocked import: os'])
  })

  it('a check for which there is no room', async () => {
    const narrow = await open({ waiting: 1, cpuMs: 60_000 })
    const checks = [SLOW, 'import os', 'import os'].map((code) => narrow.check(python(code), ENFORCE))
    expect((await Promise.all(checks)).map(({ problems, warnings }) => [...problems, ...warnings])).toEqual([
      [],
      ['Blocked import: os'],
      ['policy: the source was not checked: too many checks are waiting'],
    ])
  })

  it('a check that is waiting or running when the checker closes', async () => {
    const closing = await open({ cpuMs: 60_000 })
    const checks = [HEAVY, 'import os'].map((code) => closing.check(python(code), ENFORCE))
    await closing.close()
    const decisions = await Promise.all([...checks, closing.check(python('import os'), ENFORCE)])
    expect(decisions.map(({ checked, problems }) => ({ checked, problems }))).toEqual(
      Array.from({ length: 3 }, () => ({ checked: false, problems: [] })),
    )
  })
})

it('an abort ends the wait for a check, with its reason', async () => {
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

it('a source as large as there may be does not hold the event loop', async () => {
  const patient = await open({ cpuMs: 60_000 })
  const delays = monitorEventLoopDelay({ resolution: 1 })
  const used = performance.eventLoopUtilization()
  delays.enable()
  await patient.check(python(HEAVY.slice(0, 300_000)), ENFORCE)
  delays.disable()
  // Active time, not delays: on a busy host a process waits for its turn as well.
  expect(performance.eventLoopUtilization(used).utilization).toBeLessThan(0.5)
  expect(delays.count).toBeGreaterThan(10)
})

it('large sources never delay a small one', async () => {
  const patient = await open({ cpuMs: 60_000 })
  const done: string[] = []
  const check = async (name: string, code: string) => {
    await patient.check(python(code), ENFORCE)
    done.push(name)
  }
  await Promise.all([check('large', LARGE), check('large', LARGE), check('small', 'print(1)')])
  expect(done).toEqual(['small', 'large', 'large'])
})

it('many checks at once each get their own answer', async () => {
  const codes = Array.from({ length: 50 }, (_, n) => (n % 3 === 0 ? 'import os' : 'x = 1'))
  const decisions = await Promise.all(codes.map((code) => checker.check(python(code), ENFORCE)))
  expect(decisions.map(({ problems }) => problems.length)).toEqual(codes.map((_, n) => (n % 3 === 0 ? 1 : 0)))
})
