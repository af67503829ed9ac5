import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, it } from 'vitest'

const FILES = ['syntax', 'usages'].map((name) =>
  readFileSync(new URL(`../programs/javascript/split/${name}.cjs`, import.meta.url), 'utf8'),
)
const BEFORE = 'const { deleteProperty } = Reflect\nconst { hasOwn } = Object\n'

/** What an expression says of the uses of names in a script; `uses` stands for them. */
function ask(expression: string, script: string): unknown {
  const require = createRequire(import.meta.url)
  const context = createContext({ acorn: require('acorn'), script })
  const text = `${BEFORE}${FILES.join('\n')}\nconst uses = new Usages(nodesOf(syntaxOf(script)));JSON.stringify(${expression})`
  return JSON.parse(runInContext(text, context) ?? 'null')
}

describe('how a script uses names', () => {
  it('tells variables from properties, keys, labels and texts', () => {
    const script = 'a: for (;;) { x.b; ({ c: 1 }); const { d, e: f } = y; "g"; break a } // h'
    expect(ask('[..."abcdefgh"].filter((name) => uses.isUsed(name))', script)).toEqual(['d', 'f'])
    expect(ask('[...uses.properties]', script)).toEqual(['b', 'd', 'e'])
    expect(ask('uses.has("g") && !uses.has("h")', script)).toBe(true)
  })

  it.each([
    ['check(1)', 'statement'],
    ['await check(1)', 'statement'],
    ['list.map((n) => check(n))', 'arrow'],
    ['const x = check(1)', 'neither'],
  ])('says what becomes of a call: %s', (script, kind) => {
    const wrapped = script.startsWith('await') ? `async () => { ${script} }` : script
    const said = ask(
      '(([place]) => uses.isStatement(place) ? "statement" : uses.isArrow(place) ? "arrow" : "neither")(uses.of("check"))',
      wrapped,
    )
    expect(said).toBe(kind)
  })

  it.each([
    ['const equal = globalThis.same ?? ((a, b) => a === b)', true],
    ['globalThis.same ??= function () {}', true],
    ['if (typeof same === "undefined") same = () => {}', true],
    ['const same2 = typeof same === "undefined" ? require("chai") : same', true],
    ['const same2 = typeof same === "undefined" ? require("./main").same : same', false],
    ['same(1)', false],
    ['const x = same ?? 3', false],
  ])('finds what stands in for a name that is not defined: %s', (script, isFallback) => {
    expect(ask('uses.isFallback("same")', script)).toBe(isFallback)
  })

  it.each([
    ['eval(f())', true],
    ['(0, eval)(f())', true],
    ['const run = eval; run(f())', true],
    ['const { runInThisContext: run } = require("vm")', true],
    ['once((name) => import(name))', true],
    ['import("node:fs")', false],
    ['require("node:child_process").execFileSync("node", ["-e", f()])', true],
    ['new module.constructor()._compile(f(), "a")', true],
    ['process.getBuiltinModule(f())', true],
    ['assert.equal(kind, "module")', false],
    ['vm.runInThisContext(text)', true],
    ['eval("1 + 1"); new Function("a", `return a`)', false],
    ['evaluate(f())', false],
  ])('finds text that the script has not written: %s', (script, evaluates) => {
    expect(ask('uses.evaluates', script)).toBe(evaluates)
  })

  it('lists what a script changes', () => {
    const script =
      'x = 1; let y = 2; a.b = 3; delete c.d; globalThis.e.f ||= 4; Object.defineProperty(Math, "g", {}); h[0] = 5'
    expect(ask('uses.changes.map(([path]) => path)', script)).toEqual([
      'x',
      'a.b',
      'c.d',
      'e.f',
      'Math',
      null,
    ])
  })

  it.each([
    ['const { test } = require("node:test")', true],
    ['const runner = require("node:test")', true],
    ['require("node:test").describe("x", () => {})', true],
    ['const { mock } = require("node:test")', false],
    ['// require("node:test").test', false],
  ])('knows a test runner: %s', (script, hasRunner) => {
    expect(ask('uses.hasRunner', script)).toBe(hasRunner)
  })
})
