import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../support/soak.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

/** Right programs. The soak runs all of them and of the wrong ones, `npm test` a part. */
const HONEST = new URL('../fixtures/split/', import.meta.url)
/** Programs with a fault, most of which the same script finds in one process. */
const WRONG = new URL('../fixtures/split-wrong/', import.meta.url)
/** Programs that send messages which no server of the code sends. */
const REFUSED = new URL('../fixtures/split-refused/', import.meta.url)
/** Wrong programs whose scripts pass only in a process of their own, and right ones whose scripts pass only in that of the code. */
const BOTH = new URL('../fixtures/both/', import.meta.url)

interface Pair {
  readonly language: string
  readonly name: string
  readonly code: string
  readonly script: string
}

/** Programs and their scripts, in one file each: `language/name`, with a line `script` in a comment between the parts. */
function pairs(folder: URL): Pair[] {
  return readdirSync(folder).flatMap((language) =>
    readdirSync(new URL(`${language}/`, folder)).map((file) => {
      const [code = '', script = ''] = readFileSync(new URL(`${language}/${file}`, folder), 'utf8').split(
        /^(?:#|\/\/) script\n/m,
      )
      return { language, name: file.replace(/\..*/, ''), code, script }
    }),
  )
}

let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ISOPOD_SLOTS: '2', ...WITHOUT_RETRIES } })
})

afterAll(async () => {
  await world?.close()
})

/** Some scripts make thousands of calls, which take long on a busy host. */
const BATCH = { reuse: 'batch', batchId: 'split', limits: { timeoutSeconds: 240 } } as const

// promise: split-judging
describe('a script in a process of its own', () => {
  it.concurrent.each(sampled(pairs(HONEST), 4))(
    'passes: $language $name',
    async ({ language, code, script }) => {
      const { tests, summary } = await world.client.run({ language, code, tests: [{ script }], ...BATCH })
      expect(tests).toMatchObject([{ verdict: 'passed', diff: null, separation: 'process' }])
      expect(tests?.[0]?.suspicious).toBeUndefined()
      expect(summary).toEqual({ passed: 1, total: 1, score: 1, status: 'success' })
    },
  )

  it.concurrent.each(sampled(pairs(WRONG), 8))(
    'does not pass: $language $name',
    async ({ language, code, script }) => {
      const { tests } = await world.client.run({ language, code, tests: [{ script }], ...BATCH })
      expect(tests?.[0]?.verdict).toMatch(/^(wrong_answer|runtime_error|unverified)$/)
    },
  )

  it.concurrent.each(pairs(REFUSED))(
    'refuses the messages of: $language $name',
    async ({ language, code, script }) => {
      const { tests } = await world.client.run({ language, code, tests: [{ script }], ...BATCH })
      expect(tests).toMatchObject([
        { verdict: 'wrong_answer', suspicious: expect.stringContaining('no answer') },
      ])
    },
  )

  it('can read the files of its test case', async () => {
    const script =
      'import json\nfor given, expected in json.load(open("cases.json")): assert f(given) == expected'
    const files = { 'cases.json': '[[1, 2], [3, 4]]' }
    const verdictOf = async (code: string) =>
      (await world.client.run({ code, tests: [{ script, files }], ...BATCH })).tests?.[0]?.verdict
    expect(await verdictOf('def f(n): return n + 1')).toBe('passed')
    expect(await verdictOf('def f(n): return n')).toBe('wrong_answer')
  })

  it('shows what code and script printed, in order, and where the code failed', async () => {
    const code = 'def f(x):\n    print("code", x)\n    return 1 // x\n'
    const script = 'print("before")\nf(1)\nprint("between")\nf(0)'
    const result = await world.client.run({ code, tests: [{ script }], ...BATCH })
    expect(result.stdout).toBe('before\ncode 1\nbetween\ncode 0\n')
    expect(result.stderr).toContain('File "/workspace/main.py", line 3, in f')
    expect(result).toMatchObject({ status: 'execution_error', attributable: true })
    expect(result.tests).toMatchObject([
      { verdict: 'runtime_error', diff: expect.stringContaining('ZeroDivisionError') },
    ])
  })

  it.each(['none', 'process'] as const)('runs unittest.main(), separation %s', async (separation) => {
    const script = [
      'import unittest',
      'class Add(unittest.TestCase):',
      '    def test(self): self.assertEqual(add(2, 3), 5)',
      'if __name__ == "__main__": unittest.main()',
    ].join('\n')
    const run = (body: string) =>
      world.client.run({ code: `def add(a, b): return ${body}`, tests: [{ script }], separation, ...BATCH })
    expect(await run('a + b')).toMatchObject({ tests: [{ verdict: 'passed', separation }] })
    expect(await run('a - b')).toMatchObject({ tests: [{ verdict: 'wrong_answer', separation }] })
  })

  it('asks the code nothing for the text of a failed assertion: it would know that it failed', async () => {
    const code = `
      const get = () => { require('node:fs').writeSync(2, 'asked') }
      const f = (x) => Object.defineProperty([x], Symbol.for('shown'), { get, enumerable: true })`
    const job = { language: 'javascript', code, ...BATCH }
    const script = "require('node:assert').deepEqual(f(1), [2])"
    const { tests, stderr } = await world.client.run({ ...job, tests: [{ script }] })
    expect(tests).toMatchObject([{ verdict: 'wrong_answer' }])
    expect(stderr).not.toContain('asked')
  })

  it('shows a warning about the script once', async () => {
    const code = 'def f(): return r"\\d"'
    const result = await world.client.run({ code, tests: [{ script: 'assert f() == "\\d"' }], ...BATCH })
    expect(result.tests).toMatchObject([{ verdict: 'passed' }])
    expect(result.stderr.match(/SyntaxWarning/g)).toHaveLength(1)
  })

  it.each([
    ['loop', 'while x == 3: pass'],
    ['end the process', 'if x == 3: os._exit(3)'],
    ['take too much memory', 'if x == 3: bytearray(1 << 30)'],
    ['print', 'if x == 3: print("later", flush=True)'],
  ])('ends with the first assertion that fails, whatever later calls do: %s', async (_, later) => {
    const code = `import os\ndef f(x):\n    ${later}\n    return x`
    const script = 'assert f(1) == 1\nassert f(2) == 3\nassert f(3) == 3\nassert f(4) == 4'
    const result = await world.client.run({ code, tests: [{ script }], ...BATCH })
    expect(result).toMatchObject({ status: 'execution_error', exitCode: 1, limit: null, stdout: '' })
    expect(result.tests).toMatchObject([{ verdict: 'wrong_answer', diff: 'AssertionError' }])
    expect(result.timings.run).toBeLessThan(30_000)
  })

  it.each([
    ['a loop over a set', 'for x in {1, 100, 50, 17, 33}:\n    assert f(x) == x'],
    [
      'an iterator in a call of the code',
      'it = (i for i in range(9))\nassert dict(zip(f(["a"]), it)) == {"a": 0}\nfor x in it:\n    assert f(x) == x',
    ],
    [
      'random numbers in a key function',
      'import random\nrandom.seed(1)\nassert sorted(f([3, 1]), key=lambda v: random.random()) != []\nassert f(random.random()) < 1',
    ],
    [
      'a function that reads what changes',
      'a = [3, 1]\ng = lambda: a[0]\nassert change(a) == 1\nassert f(g()) == 1\nf(2)',
    ],
    [
      'a method of what changes',
      'a = [3, 1]\npush = a.append\nassert change(a) == 1\npush(0)\nassert f(a) == [1, 3, 0]\nf(2)',
    ],
    [
      'an iterator over what changes',
      'a = [3, 1]\nz = zip(a, a)\nassert change(a) == 1\nfor x, y in z:\n    assert f(x) == y',
    ],
    [
      'a loop over what changes',
      'a = [3, 1, 2]\nfor x in a:\n    assert f(x) in (1, 2, 3)\n    assert change(a) == 1\n    f(4)',
    ],
    ['no seed', 'import random\nrandom.seed(None)\nx = random.random()\nassert f(x) == x\nf(2)'],
    ['no seed, by another name', 'from random import Random as R\nx = R().random()\nassert f(x) == x\nf(2)'],
    ['an address', 'import random\nr = random.Random(3)\nassert f(str(r)) == str(r)\nf(2)'],
    ['one object', 'a = 1000\nb = 1000\nassert f(a is b) == (a is b)\nf(2)'],
    ['a name that hides a function', 'max = f(3)\nys = [max for max in [1]]\nassert f(max) == 3\nf(2)'],
  ])('is not called otherwise than foreseen: %s', async (_, script) => {
    const code = 'def f(x): return x\ndef change(x):\n    x.sort()\n    return 1'
    const result = await world.client.run({ code, tests: [{ script }], ...BATCH })
    expect(result.tests).toMatchObject([{ verdict: 'passed', diff: null }])
  })

  it.each([
    ['timeout', 'loops', 'while True: pass'],
    ['memory_exceeded', 'takes too much memory', 'x = [bytearray(1 << 26) for _ in range(64)]'],
    ['runtime_error', 'ends its process', 'os._exit(3)'],
    ['runtime_error', 'crashes', 'os.kill(os.getpid(), 11)'],
  ])('is a %s if the code %s before its first answer', async (verdict, _, body) => {
    const code = `import os\ndef f(x):\n    ${body}`
    const tests = [{ script: 'assert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3' }]
    // On a busy host, taking all memory can take seconds.
    const limits = { timeoutSeconds: verdict === 'timeout' ? 2 : 20 }
    const result = await world.client.run({ code, tests, ...BATCH, limits })
    expect(result.tests).toMatchObject([{ verdict }])
    expect(result.tests?.[0]?.suspicious).toBeUndefined()
    expect(result.status).toBe(verdict === 'runtime_error' ? 'execution_error' : verdict)
  })

  it.each([
    ['an object that compares itself', 'class A:\n  def __eq__(s, o): return True\nf = A', 'assert f() == 3'],
    ['an object that computes', 'class A:\n  def __sub__(s, o): return 0\nf = A', 'assert f() - 3 == 0'],
    [
      'a built-in name beside another',
      'def abs(x): return 0\ndef f(x): return 7',
      'assert f(1) == 7 == abs(-7)',
    ],
    [
      'an attribute that changes',
      'class A:\n  n = 0\n  @property\n  def x(s):\n    s.n += 1\n    return s.n\nf = A',
      'a = f(); assert a.x > 0 and a.x < 2',
    ],
    [
      'a module of its own',
      'import types\nmath = types.ModuleType("m")\nmath.isclose = max',
      'assert math.isclose(1, 2)',
    ],
    [
      'what a set of its own includes',
      'class S(set):\n  def union(s, o): return o\nf = S',
      'assert f().union({4}) == {4}; assert f([1]).union({4}) == {4}',
    ],
    [
      'a member that it chooses',
      'from enum import Enum\nclass C(Enum):\n  A = 1\n  def _missing_(v): return C.A\ndef f(): return C.A',
      'assert f() == C(7)',
    ],
    [
      'a bound that the script made',
      'class V:\n  def __init__(s, x): pass\n  def __le__(s, o): return True\ndef f(): return V(0)',
      'assert V(3) <= f() <= V(3)',
    ],
    ['a class of the script with one of the code as its base', 'class A: pass', 'class B(A): pass'],
    [
      'what an object of its own contains',
      'class A:\n  def __contains__(s, x): return True\nf = A',
      'assert 3 in f()',
    ],
    [
      'whether a difference from a plain value is empty',
      'class A:\n  def __sub__(s, x): return s\n  def __iter__(s): return iter([])\nf = A',
      'assert not any(f() - {5})',
    ],
    [
      'whether a difference from a plain value is true',
      'class A:\n  def __sub__(s, x): return s\n  def __bool__(s): return False\n  def __neg__(s): return s\nf = A',
      'assert not -(f() - 5)',
    ],
    [
      'two objects whose class hides a part of them behind a default',
      'class A:\n  def __init__(s, x, y=0): s.y = y\n  def __eq__(s, o): return True\ndef f(): return A(1)',
      'assert f() == A(3)',
    ],
    [
      'what a name of the script is for the code',
      'def f(): return Node(1)',
      'class Node:\n  def __init__(s, x): s.x = x\nassert f().x == 1',
    ],
    [
      'what the code reads from a replaced stdin',
      'def f(): return input()',
      'import io, sys; sys.stdin = io.StringIO("x"); assert f() == "x"',
    ],
    ['a call that ends the loop around it', 'def f(x): raise StopIteration', 'list(map(f, [1]))'],
    ['a value without end', 'def f(): return "x" * 5_000_000', 'assert f()'],
    ['an argument without a plain value', 'def f(x): return 1', 'import threading; f(threading.Lock())'],
    [
      'what happens in several threads at once',
      'def square(x): return x * x',
      'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as pool: assert list(pool.map(square, [2, 3])) == [4, 9]',
    ],
    [
      'what text of the code does where the script runs it',
      'def f(): return "1 + 1"',
      'assert eval(f()) == 2',
    ],
    [
      "what is there of the code's process",
      'import os\ndef f(): os.environ["X"] = "1"',
      'import os; f(); assert "X" not in os.environ',
    ],
    [
      'an object of the code where Python takes only its own types',
      'import enum\nclass Color(str, enum.Enum): RED = "red"\ndef f(): return Color.RED',
      'assert ",".join([f()]) == "red"',
    ],
    [
      'whether two tuples are one',
      'import functools\n@functools.cache\ndef f(x): return x, x',
      'assert f(1) is f(1)',
    ],
    [
      'warnings of the code',
      'import warnings\ndef f(): warnings.warn("old", DeprecationWarning)',
      'import unittest\nwith unittest.TestCase().assertWarns(DeprecationWarning): f()',
    ],
    [
      'files of the script',
      'import os\ndef f(): return os.path.exists("a")',
      'with open("a", "w") as file: file.write("1")\nassert f()',
    ],
    [
      'the precision of decimal that the code sets',
      'from decimal import *\ngetcontext().prec = 50\ndef root(n): return Decimal(n).sqrt()',
      'from decimal import Decimal\nassert root(2) == Decimal(2).sqrt()',
    ],
    [
      'how many digits a text may have',
      'import sys\nsys.set_int_max_str_digits(0)\ndef power(n): return 10 ** n',
      'assert len(str(power(5000))) == 5001',
    ],
    [
      'how numpy prints',
      'import numpy\nnumpy.set_printoptions(precision=3)\ndef shown(x): return str(numpy.array(x))',
      'import numpy\nassert shown([1.23456]) == str(numpy.array([1.23456]))',
    ],
    [
      'modules that depend on a process, and that the judge does not know',
      'def f(): pass',
      'import locale; f(); assert locale.getlocale()',
    ],
  ])('is unverified where only the code could decide: %s', async (_, code, script) => {
    const { tests, summary } = await world.client.run({ code, tests: [{ script }], ...BATCH })
    expect(tests).toMatchObject([{ verdict: 'unverified' }])
    expect(summary?.passed).toBe(0)
  })

  it.each([
    ['an object that converts itself', 'const f = () => ({ valueOf: () => 3 })', 'if (!(f() == 3)) throw 1'],
    [
      'an object with a text for a number',
      'const f = () => ({ toString: () => "3" })',
      'if (!(f() == 3)) throw 1',
    ],
    [
      'an object that is JSON',
      'const f = () => ({ toJSON: () => 3 })',
      'if (JSON.stringify(f()) !== "3") throw 1',
    ],
    [
      'a property that changes',
      'let n = 0\nconst f = () => ({ get x() { return n++ } })',
      'const r = f()\nif (!(r.x <= 0 && r.x >= 1)) throw 1',
    ],
    ['a proxy', 'const f = () => new Proxy({ a: 1 }, {})', 'require("assert").deepEqual(f(), { a: 1 })'],
    [
      'two objects that show nothing',
      'class P { #x; constructor(x) { this.#x = x } }\nconst f = () => new P(0)',
      'require("assert").deepEqual(f(), new P(3))',
    ],
    ['a value without end', 'const f = () => "x".repeat(5_000_000)', 'f()'],
    ['an iterator without end', 'function* f() { for (;;) yield 1 }', 'for (const each of f()) each'],
    [
      'a promise that never settles',
      'const f = () => new Promise(() => {})',
      'f().then(() => { throw new Error("never") })',
    ],
    [
      'a call that never comes',
      'const f = () => {}',
      '(async () => { await new Promise((go) => f(go)); throw new Error("never") })()',
    ],
    ['an argument without a plain value', 'const f = () => 1', 'f(process)'],
    [
      'two names of Node, one of which could judge the other',
      'function parseFloat() { return 3 }\nconst Math = { abs: () => 0 }',
      'if (Math.abs(parseFloat("0.5") - 0.5) > 0.1) throw 1',
    ],
    [
      'a function that declares another one twice',
      'const call = (f) => f(1)',
      `call((x) => { 'use strict'; function check() {} function check(y) { if (y !== 1) throw y } check(x) })`,
    ],
    [
      'the order of timers of the script that the code waits for',
      'const inTurn = async (tasks) => { const done = []; for (const task of tasks) done.unshift(await task()); return done }',
      `const wait = (name, ms) => () => new Promise((resolve) => setTimeout(resolve, ms, name))
      inTurn([wait('a', 2), wait('b', 1)]).then((done) => require('node:assert').deepEqual(done, ['a', 'b']))`,
    ],
  ])('is unverified where only JavaScript code could decide: %s', async (_, code, script) => {
    const job = { language: 'javascript', code, tests: [{ script }], ...BATCH }
    const { tests, summary } = await world.client.run(job)
    expect(tests).toMatchObject([{ verdict: 'unverified' }])
    expect(summary?.passed).toBe(0)
  })

  it.each([
    {
      language: 'javascript',
      code: 'function f(check) { for (let x = 0; x < 9; x++) try { return check(x) } catch {} }',
      script: 'f((x) => require("node:assert").equal(x, 5))',
      said: '0 == 5',
    },
    {
      language: 'python',
      code: `
def f(check):
    for x in range(9):
        try: return check(x)
        except BaseException: pass`,
      script: `
def check(x): assert x == 5, f'{x} is not 5'
try: f(check)
except Exception: pass`,
      said: '0 is not 5',
    },
  ])('hides a failed assertion of a callback from $language code', async ({ said, script, ...job }) => {
    const { tests } = await world.client.run({ ...job, tests: [{ script }], ...BATCH })
    expect(tests).toMatchObject([{ verdict: 'unverified', diff: expect.stringContaining(said) }])
  })

  it('blames the code for a failed assertion of a callback if it handles no errors', async () => {
    const job = { code: 'def each(xs, f):\n    for x in xs: f(x + 1)', ...BATCH }
    const script = 'def check(x): assert x == 1, x\neach([1], check)'
    const { tests } = await world.client.run({ ...job, tests: [{ script }] })
    expect(tests).toMatchObject([{ verdict: 'wrong_answer', diff: 'AssertionError: 2' }])
  })

  it.each([{ preload: true }, { reuse: 'batch', batchId: 'split-preload', preload: true }] as const)(
    'runs JavaScript in interpreters that start ahead, where they can: %o',
    async (mode) => {
      const script = 'require("node:assert").equal(add(read(), 1), "text1")'
      const code =
        'const read = () => require("fs").readFileSync(0, "utf8")\nfunction add(a, b) {\n  return a + b\n}'
      const job = { code, tests: [{ script, stdin: 'text' }, { script }], limits: { timeoutSeconds: 30 } }
      for (const language of ['javascript', 'typescript']) {
        const { tests, preloaded } = await world.client.run({ language, ...job, ...mode })
        expect(tests).toMatchObject([{ verdict: 'passed' }, { verdict: 'wrong_answer' }])
        expect(preloaded).toBe(!('reuse' in mode))
      }
    },
  )

  it('gives Python code no file or main module of the sample with which its interpreter has rehearsed', async () => {
    const code = `
import os, sys
print(sorted(os.listdir('/proc/self/fd')), 'double' in vars(sys.modules['main']), sys.stdin, sys.stdout)
def f(): pass`
    const job = { code, tests: [{ script: 'f()' }], limits: { timeoutSeconds: 60 } }
    const ahead = await world.client.run({ ...job, ...BATCH, batchId: 'rehearsed' })
    const again = await world.client.run({ ...job, ...BATCH, batchId: 'rehearsed' })
    const fresh = await world.client.run(job)
    expect(fresh.stdout).toContain("] False <_io.TextIOWrapper name='<stdin>'")
    expect([ahead.stdout, again.stdout]).toEqual([fresh.stdout, fresh.stdout])
  })

  it('has forks of a Python interpreter copy little of its memory', async () => {
    // 820 KB here; about 200 KB more if they fill gaps in it, about twice as much if they count references to its objects.
    const code = `
def copied_kilobytes():
    with open('/proc/self/smaps_rollup') as file:
        return int(next(line for line in file if line.startswith('Private_Dirty')).split()[1])`
    const tests = [{ script: 'assert copied_kilobytes() < 1000, copied_kilobytes()' }]
    const result = await world.client.run({ code, tests, ...BATCH })
    expect(result.tests).toMatchObject([{ verdict: 'passed' }])
  })

  it('has a Python interpreter rehearse with a sample before it forks', async () => {
    const code = "import sys\n\ndef is_known():\n    return 'typing' in sys.modules"
    const result = await world.client.run({ code, tests: [{ script: 'assert is_known()' }], ...BATCH })
    expect(result.tests).toMatchObject([{ verdict: 'passed' }])
  })

  it('shows where JavaScript code failed', async () => {
    const code = 'function f(x) {\n  return x.y.z\n}\n'
    const script = '\nf({})'
    const result = await world.client.run({ language: 'javascript', code, tests: [{ script }], ...BATCH })
    expect(result.stderr).toMatch(
      /^TypeError: Cannot read .*\n {4}at f \(\/workspace\/main\.js:2:14\)\n {4}at \/workspace\/script\.js:2:1\n/,
    )
    expect(result.stderr).not.toContain('isopod')
    expect(result.tests).toMatchObject([
      { verdict: 'runtime_error', diff: expect.stringContaining('TypeError') },
    ])
  })

  it('is the caller’s fault if it is no program', async () => {
    const { tests } = await world.client.run({ code: 'x = 1', tests: [{ script: 'assert (' }], ...BATCH })
    expect(tests).toMatchObject([{ verdict: 'judge_error', diff: expect.stringContaining('SyntaxError') }])
  })

  it('is refused for a language that cannot', async () => {
    const tests = [{ script: '[ 1 = 1 ]' }]
    const refused = await world.client.run({ language: 'bash', code: ':', tests, separation: 'process' })
    expect(refused.status).toBe('validation_error')
    expect(refused.errorMessage).toMatch(/^separation: must be "none", because bash/)
  })
})

// promise: both-separations
describe('a script in a process of its own and in that of the code', () => {
  const runBoth = ({ language, code, script }: Pair) =>
    world.client.run({ language, code, tests: [{ script }], separation: 'both', ...BATCH })

  it.concurrent.each(pairs(new URL('wrong/', BOTH)))(
    'passes no wrong program: $language $name',
    async (pair) => {
      const { tests } = await runBoth(pair)
      const diff = expect.stringMatching(/^in one process with the code the script does not pass: /)
      expect(tests).toMatchObject([{ verdict: 'unverified', separation: 'both', diff }])
    },
  )

  it.concurrent.each(pairs(new URL('right/', BOTH)))(
    'fails no right program: $language $name',
    async (pair) => {
      const { tests } = await runBoth(pair)
      const diff = expect.stringMatching(/^in one process with the code the script passes; /)
      expect(tests).toMatchObject([{ verdict: 'unverified', separation: 'both', diff }])
    },
  )

  it('passes, and does not pass, where both agree', async () => {
    const script = 'c = Counter(2)\nassert c.next() == 3'
    const verdictOf = async (body: string) => {
      const code = `class Counter:\n  def __init__(self, at): self.at = at\n  def next(self): return self.at ${body}`
      const { tests, summary } = await runBoth({ language: 'python', name: '', code, script })
      return [tests?.[0]?.verdict, tests?.[0]?.separation, summary?.passed]
    }
    expect(await verdictOf('+ 1')).toEqual(['passed', 'both', 1])
    expect(await verdictOf('+ 2')).toEqual(['wrong_answer', 'both', 0])
  })

  it.each(['const assert = require("assert")', 'const { f } = require("./main")'])(
    'may declare again what the code declares: %s',
    async (line) => {
      const code = 'const assert = require("assert")\nconst f = (x) => [x]\nmodule.exports = { f }'
      const script = `${line}\nrequire("assert").deepEqual(f(1), [1])`
      const { tests } = await runBoth({ language: 'javascript', name: '', code, script })
      expect(tests).toMatchObject([{ verdict: 'passed', diff: null }])
    },
  )

  it('may end the process itself', async () => {
    const script = 'let failed = 0\nif (f(1) !== 1) failed++\nprocess.exit(failed)'
    const { tests } = await runBoth({ language: 'javascript', name: '', code: 'const f = (x) => x', script })
    expect(tests).toMatchObject([{ verdict: 'passed', diff: null }])
  })
})
