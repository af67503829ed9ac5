import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { shippedCatalogue } from '../../../test/support/shipped-catalogue.ts'

const SCRIPT = 'function own() { return new Function("return 1") }'

/** What an expression gives in the judge of JavaScript, once it has taken note of what the language defines. */
async function inJudge(work: string, expression: string): Promise<unknown> {
  const library = (await shippedCatalogue()).find('javascript')?.script?.split?.judge.library
  const input = `((module, exports) => {'use strict';${library}
    let refused = 0
    guardEvaluation(new Set(['return 1']), () => refused++)
    const intrinsics = new Intrinsics(${JSON.stringify(SCRIPT)}, (name) => name === 'Set')
    ${work}
    const value = ${expression}
    writeSync(1, Buffer.from(stringify(value)))
  })()`
  return JSON.parse(execFileSync(process.execPath, { input, encoding: 'utf8' }))
}

describe('what the language defines', () => {
  it.each([
    ['as it was', ''],
    [
      'objects of the script',
      'const one = {}; one.__proto__ = null; class Own extends Map {}; Own.prototype.get = 1',
    ],
    ['the depth of stacks', 'Error.stackTraceLimit = 3'],
    ['a global that the script defines itself', 'globalThis.Set = class Set {}'],
    ['a method, which is frozen', 'try { [].push.call = 1 } catch {}'],
  ])('is unchanged: %s', async (_, work) => {
    expect(await inJudge(work, '[intrinsics.hasChanged, [].push.call === Function.prototype.call]')).toEqual([
      ...[false, true],
    ])
  })

  it.each([
    ['a member of all objects', 'Object.prototype.toJSON = () => 1'],
    ['a hidden field of fields', 'Object.prototype.value = 1'],
    ['a static function', 'Object.entries = () => []'],
    ['a static function, by an accessor', 'Object.defineProperty(Object, "is", { get: () => () => true })'],
    ['a method', 'Array.prototype.sort = function () { return this }'],
    [
      'a method of iterators, by an object',
      'Object.getPrototypeOf([].values()).next = () => ({ done: true })',
    ],
    ['a class', 'globalThis.Map = class Map {}'],
    ['the prototype of a prototype', 'Object.setPrototypeOf(Array.prototype, { length: 1 })'],
    ['a function that is gone', 'delete Math.max'],
    ['how values are shown', 'util.inspect.defaultOptions.maxArrayLength = 0'],
  ])('is changed: %s', async (_, work) => {
    expect(await inJudge(work, 'intrinsics.hasChanged')).toBe(true)
  })

  it('makes functions of no text but the script’s', async () => {
    const work = `Function('return 1')
      ;(async () => {}).constructor('return 1')
      ;(() => {}).constructor('process.exit()')
      Reflect.construct(Object.getPrototypeOf(function* () {}).constructor, ['yield 2'])
      Object.getPrototypeOf((async () => {}).constructor)('return')`
    expect(await inJudge(work, '[refused, (() => {}).constructor === globalThis.Function]')).toEqual([
      3,
      true,
    ])
  })

  it.each([
    'Object.prototype',
    'Reflect.get',
    'Object.defineProperty',
    'eval',
    'Function.prototype.call',
    'Math',
  ])('is not for the code: %s', async (name) => expect(await inJudge('', `REFUSED.has(${name})`)).toBe(true))

  it.each(['Math.max', 'parseInt', 'Object.assign', 'JSON.stringify', 'Array.prototype.map', 'console.log'])(
    'may be passed to the code: %s',
    async (name) => expect(await inJudge('', `REFUSED.has(${name})`)).toBe(false),
  )

  it('has functions of Node, and of the script', async () => {
    const work = 'function own() { return new Function("return 1") }'
    const things = '[own, [].push, EventEmitter.prototype.emit]'
    expect(await inJudge(work, `${things}.map((each) => intrinsics.isOfScript(each))`)).toEqual([
      true,
      false,
      false,
    ])
  })
})
