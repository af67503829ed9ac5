import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, it } from 'vitest'

const FILES = ['syntax', 'usages', 'instrument', 'sizes', 'loops'].map((name) =>
  readFileSync(new URL(`../programs/javascript/split/${name}.cjs`, import.meta.url), 'utf8'),
)
/** What these files take from the files before them, for scripts whose objects are all their own. */
const BEFORE = `
  'use strict'
  const { deleteProperty, ownKeys, apply, getPrototypeOf } = Reflect
  const { hasOwn, is, getOwnPropertyDescriptor } = Object
  const { stringify } = JSON
  const { isDate, isBoxedPrimitive, isProxy } = types
  const isDeepStrictEqual = equal
  const isThing = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'
  const getPrimitive = (boxed) => boxed.valueOf()
  const accessorOf = (thing, key) => key in thing ? getOwnPropertyDescriptor(thing, key)?.get : undefined
  const propertyOf = (thing, key) => thing[key]
  const countOf = (list) => list.length ?? list.size
`

/** Runs a script with its hooks: its last value, and why it does not show that the code is right. */
function run(script: string, isStrict = false) {
  const require = createRequire(import.meta.url)
  const judge = { unproven: undefined, named: new Set(), isOfOther: () => true, numberAnswers: [] }
  const { types, isDeepStrictEqual: equal } = require('node:util')
  const thrown: unknown[] = []
  const selves: string[] = []
  const context = createContext({
    thrown,
    selves,
    isStrict,
    acorn: require('acorn'),
    judge,
    types,
    equal,
    Error,
    script,
  })
  const text: string = runInContext(
    `${BEFORE}${FILES.join('\n')}
    const loops = new Loops(judge)
    globalThis.isopod$ = { ...new Sizes(judge).hooks, ...loops.hooks, thrown(error) { thrown.push(error); return error }, top() { return globalThis }, self(thing) { selves.push(thing === globalThis ? 'global' : 'object'); return thing }, reporting(work) { try { return work() } catch (error) { throw this.thrown(error) } } }
    globalThis.finish = () => loops.checkAll()
    instrument(script, syntaxOf(script), isStrict)`,
    context,
  )
  const value: unknown = runInContext(text, context)
  runInContext('finish()', context)
  return { text, value, thrown, selves, unproven: judge.unproven }
}

const NO_SIZE = 'the script compares the size of what has none'
const NO_TURN = 'a loop with an assertion or a comparison in it has no turn'

describe('an instrumented script', () => {
  it.each([
    ['1 < 2', true],
    ['(1) /* < */ < (2)', true],
    ['const f = (a) => a<3; [f(2), f(3)].join()', 'true,false'],
    ['1 // >\n > 2', false],
    ['let s = ""; for (let i = 0; i < 3; i++) s += i; s', '012'],
    ['1 < 2 === 3 >= 3', true],
    ['function f(a){return(a)<2} f(1)', true],
    ['"a" < "b" && 10n > 9 && new Date(1) < new Date(2)', true],
    ['[1, 2].filter((x) => x > 1).map((x) => ({ x }))[0].x', 2],
    ['[[1, 2], [3]].map((l) => l.filter((x) => x !== 1).length).join()', '1,1'],
    ['let n = 0; for (const x of [1, 2]) if (x === 2) n += x; n', 2],
    ['let n = 0; for (const [i, x] of [5, 6].entries()) { if (x === 6) n = i } n', 1],
    ['const o = undefined; o?.list.map((x) => x === 1)', undefined],
    ['const o = {}; o.list?.map((x) => x === 1)', undefined],
    ['#!/usr/bin/env node\n1 >= 1', true],
    [
      'function f() { "use strict"; return this } [1].map(function () { "use strict"; return this === undefined })[0]',
      true,
    ],
    [`\`$\{1 < 2 ? "a" : "b"}$\{/</.source}\``, 'a<'],
    ['const isPositive = (x) => x > 0; [1, 2].every(isPositive)', true],
    [
      'const isSmall = (x) => 2 > x; const l = [1, 3]; [l.filter(isSmall).length, l.find(isSmall)].join()',
      '1,1',
    ],
    ['var isEven = (x) => x % 2 === 0; [2, 4].every(isEven)', true],
    ['const f = (x) => { "use strict"; if (x) throw x; return this }; f(0) === this', true],
    [
      'const o = { n: 2, check(x) { if (x !== this.n) throw x; return (y) => y === this.n } }; o.check(2)(2)',
      true,
    ],
    ['function* g(x) { if (x !== 1) throw x; yield x } [...g(1)][0]', 1],
    ['const f = (x) => ({ isOne: x === 1 }); f(1).isOne', true],
    [
      'class A { init() { return 1 } } class B extends A { constructor() { super(); this.n = super.init() } } function make() { return new B().n } make()',
      1,
    ],
    ['label: for (const x of [1, 2]) { if (x === 1) continue label; var last = x } last', 2],
  ])('does what it did: %s', (script, value) => {
    const ran = run(script)
    expect(ran).toMatchObject({ value, unproven: undefined })
    expect(ran.text.split('\n')).toHaveLength(script.split('\n').length)
  })

  it.each([
    ['Math.abs(undefined - 1) > 2', NO_SIZE],
    ['const differs = (a, b) => Math.abs(a - b) > 1; differs("1/3", 4)', NO_SIZE],
    ['({}) > 5', NO_SIZE],
    ['[1, {}].some((x) => x < 0)', NO_SIZE],
    ['new Date("x") < new Date()', NO_SIZE],
    ['[1, , 3].every((x, i) => x === i + 1)', 'a loop leaves out the holes of an array'],
    [
      '({ length: 3, forEach(f) { f(1) } }).forEach((x) => { if (x !== 1) throw 1 })',
      'a loop with an assertion or a comparison in it has 1 turns for 3 items',
    ],
    ['({ length: 3, some() {} }).some((x) => { if (x !== 1) throw 1 })', NO_TURN],
    ['const check = (x) => x === 1; ({ length: 3, every: () => true }).every(check)', NO_TURN],
    ['for (const x of { length: 2, *[Symbol.iterator]() {} }) if (x !== 1) throw 1', NO_TURN],
    ['for (const x of [...{ length: 2, *[Symbol.iterator]() {} }]) if (x !== 1) throw 1', NO_TURN],
  ])('reports what decides nothing: %s', (script, unproven) => {
    expect(run(script)).toMatchObject({ unproven })
  })

  it.each<[string, unknown[]]>([
    ['(x) => { if (x !== 1) throw x }', [2]],
    ['(x) => x === 1 || fail("no one")', ['no one']],
    ['(x) => check(x < 1)', ['wrong']],
    ['(x) => { assert.equal(x, 1) }', ['2']],
    ['() => { calls++; if (calls < 3) throw "again" }', []],
    ['(x) => { throw x }', []],
    ['(x) => { if (x < 3) throw "again" }', []],
  ])('reports what a function throws that judges what it is given: %s', (callback, thrown) => {
    const helpers =
      'let calls = 0; const fail = (text) => { throw String(text) }; const check = (ok) => { if (!ok) throw "wrong" }; const assert = { equal(x) { throw String(x) } }'
    const ran = run(`${helpers}\ntry { (${callback})(2) } catch {}`)
    expect(new Set(ran.thrown)).toEqual(new Set(thrown))
  })

  it.each([
    ['function f() { return this } f()', true],
    ['const o = { get() { return this } }; const { get } = o; get()', true],
    ['(function () { return (() => this)() })()', true],
    ['const f = () => this; f()', false],
    ['const o = { get() { return super.x } }; const { get } = o; try { get() } catch {}', true],
    ['function f() { class A { g() { return super.x } } return new A().g() } f()', false],
    ['const o = { get() { return this } }; o.get()', false],
    ['class A { get() { return this } } new A().get()', false],
    ['function f() { "use strict"; return this } f()', false],
  ])(
    'has what is "this" in functions be looked at, as it may be the global object: %s',
    (script, isGlobal) => {
      expect(run(script).selves.includes('global')).toBe(isGlobal)
    },
  )

  it('has what a module is for "this" outside of functions, and leaves it alone where all text is strict', () => {
    const text = 'this; function f() { return this }'
    expect(run(text).text).toBe('isopod$.top(); function f() { return  isopod$.self(this) }')
    expect(run(text, true).text).toBe('isopod$.top(); function f() { return this }')
  })

  it('may loop over nothing', () => {
    const script =
      'for (const x of []) if (x !== 1) throw 1\nnew Set().forEach((x) => { if (x !== 1) throw 1 });\n[].every((x) => x === 1)'
    expect(run(script)).toMatchObject({ value: true, unproven: undefined })
  })
})
