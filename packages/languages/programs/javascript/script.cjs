'use strict'
;((code, script, report) => {
  const fs = require('node:fs')
  const vm = require('node:vm')
  const assert = /\bassert\b/.test(script) ? require('node:assert') : undefined
  const { openSync, writeSync, closeSync, unlinkSync } = fs
  const { runInThisContext, constants, Script } = vm
  // It runs the script: code must not run something else in its place.
  Object.freeze(Script.prototype)
  Object.freeze(Script)
  const { getOwnPropertyDescriptor, defineProperty, is, keys } = Object
  const { ownKeys, apply } = Reflect
  const file = __filename
  const plain = require
  const { once, reallyExit } = process
  const Redeclared = SyntaxError
  const translated = process.features.typescript && file.endsWith('.ts')
    ? (text) => require('node:module').stripTypeScriptTypes(text, { mode: 'transform' })
    : (text) => text
  try {
    unlinkSync(file)
  } catch {}
  if (assert) for (const each of [assert, assert.strict]) Object.freeze(each)

  // What tests rely on. The console and the stack trace limit are left out: changing them affects no test.
  const kinds = [Object, Array, String, Number, Boolean, Symbol, RegExp, Map, Set, Promise, Error, Function, BigInt, Date]
  const places = [globalThis, JSON, Math, Reflect, process, ...kinds, ...kinds.map((each) => each.prototype)]
  const names = ['JSON', 'Math', 'Reflect', 'isNaN', 'parseInt', 'parseFloat', ...kinds.map(({ name }) => name)]
  const before = places.map((place) =>
    (place === globalThis ? names : place === process ? ['exit', 'once', 'on', 'emit'] : ownKeys(place).filter((key) => key !== 'stackTraceLimit')).map((key) => {
      const { value, get } = getOwnPropertyDescriptor(place, key) ?? {}
      return { key, value, get }
    }),
  )
  const common = Object.prototype
  const howMany = ownKeys(common).length
  const notes = []
  let through = false

  // The harness's own values, in case the code changes the module's.
  const given = { require: plain, module, exports, __filename, __dirname }
  const define = () => {
    for (const key of ['require', 'module', 'exports', '__filename', '__dirname']) {
      defineProperty(globalThis, key, { value: given[key], writable: true, configurable: true, enumerable: false })
    }
  }
  apply(once, process, ['beforeExit', () => {
    if (!through) return
    if (notes[0] === 'builtins') {
      writeSync(2, '\nisopod: builtins\n')
      apply(reallyExit, process, [97])
    }
    const descriptor = openSync(report, 'wx', 0o600)
    writeSync(descriptor, notes.join('\n'))
    closeSync(descriptor)
  }])
  define()
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  const lines = (name) => ({ filename: name, importModuleDynamically })
  // As if both were one file: only the code can begin with a directive.
  const isStrict = /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(['"])use strict\1/.test(code)
  const tests = (isStrict ? "'use strict';" : '') + translated(script)
  const testsFile = file.replace(/main(?=\.[jt]s$)/, 'script')
  runInThisContext(translated(code), lines(file))
  const { exports: own } = module
  given.exports = own
  const exported = typeof own === 'function' ? { [own.name]: own } : typeof own === 'object' && own !== null ? own : {}
  for (const name of keys(exported)) {
    if (!(name in globalThis)) defineProperty(globalThis, name, { value: exported[name], writable: true, configurable: true })
  }
  given.require = (id) => {
    if (assert && (id === 'assert' || id === 'node:assert')) return assert
    return id === './main' || id === './main.js' || id === './main.ts' || id === file ? given.module.exports : plain(id)
  }
  define()
  try {
    runInThisContext(tests, lines(testsFile))
  } catch (error) {
    // Both may declare a name, such as that of a module which both load.
    if (!(error instanceof Redeclared) || !/has already been declared$/.test(error.message)) throw error
    apply(runInThisContext(`(function () {${tests}\n})`, lines(testsFile)), globalThis, [])
  }
  // By index: the code may have changed the iterators.
  for (let at = places.length - 1; at >= 0; at--) {
    for (let nth = 0; nth < before[at].length; nth++) {
      const was = before[at][nth]
      const now = getOwnPropertyDescriptor(places[at], was.key) ?? {}
      if (!is(now.value, was.value) || now.get !== was.get) notes[0] ??= at === 0 ? 'shadow' : 'builtins'
    }
  }
  if (ownKeys(common).length !== howMany) notes[0] ??= 'added'
  through = true
})({code_json}, {script_json}, '{report}')
