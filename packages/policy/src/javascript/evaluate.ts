import { character, ESCAPES } from '../tree/escapes.ts'
import { memoized } from '../tree/memoized.ts'
import type { Candidate, Scope } from '../tree/scope.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { joined, path, pathsOf, text, textsOf, UNKNOWN, union, type Values } from '../tree/value.ts'
import { FUNCTION_PATH, isFunction, nameOf, plainModule } from './scopes.ts'

/** Names of the global object. */
export const GLOBALS: ReadonlySet<string> = new Set(['globalThis', 'global', 'window', 'self'])
/** Everything that loads a module by its name. */
export const LOADERS: ReadonlySet<string> = new Set([
  'require',
  'module.require',
  'require.main.require',
  'process.mainModule.require',
  'process.getBuiltinModule',
  'module.constructor._load',
  'module._load',
  'import',
])
/** Wrappers of TypeScript and of grammar that leave a value what it is. */
const TRANSPARENT = new Set([
  'parenthesized_expression',
  'as_expression',
  'satisfies_expression',
  'non_null_expression',
  'await_expression',
])
const DEEPEST = 64

/** Makes the function that finds what expressions of one program may be; it remembers what it found. */
export function evaluatorOf(scopes: ReadonlyMap<SyntaxNode, Scope>): (node: SyntaxNode) => Values {
  const values = memoized(DEEPEST, fresh)
  return values

  function fresh(node: SyntaxNode): Values {
    if (isFunction(node) || node.type === 'class') return path(FUNCTION_PATH)
    if (TRANSPARENT.has(node.type)) return last(node)
    switch (node.type) {
      case 'identifier':
      case 'shorthand_property_identifier':
        return lookUp(nameOf(node), scopes.get(node))
      case 'import':
        return path('import')
      case 'string':
        return joined(node.children.map((part) => text(unescaped(part.text))))
      case 'number':
        return text(node.text)
      case 'template_string':
        return joined(
          node.children.map((part) =>
            part.type === 'template_substitution' ? last(part) : text(unescaped(part.text)),
          ),
        )
      case 'binary_expression':
        return binary(node)
      case 'ternary_expression':
        return union([at(node, 'consequence'), at(node, 'alternative')])
      case 'sequence_expression':
      case 'type_assertion':
        return last(node)
      case 'assignment_expression':
        return at(node, 'right')
      case 'member_expression': {
        const name = node.at('property')
        return name === undefined ? UNKNOWN : member(at(node, 'object'), [nameOf(name)])
      }
      case 'subscript_expression':
        return member(at(node, 'object'), textsOf(at(node, 'index')))
      case 'call_expression':
        return call(node)
      default:
        return UNKNOWN
    }
  }

  function at(node: SyntaxNode, field: string): Values {
    const child = node.at(field)
    return child === undefined ? UNKNOWN : values(child)
  }

  /** Of several parts, the last one is the value. */
  function last(node: SyntaxNode): Values {
    const parts = node.children.filter(({ type }) => type !== 'comment' && !type.endsWith('_type'))
    const part =
      node.type === 'as_expression' || node.type === 'satisfies_expression' ? parts[0] : parts.at(-1)
    return part === undefined ? UNKNOWN : values(part)
  }

  function binary(node: SyntaxNode): Values {
    const [left, right] = [at(node, 'left'), at(node, 'right')]
    switch (node.at('operator')?.type) {
      case '+':
        return joined([left, right])
      case '||':
      case '&&':
      case '??':
        return union([left, right])
      default:
        return UNKNOWN
    }
  }

  function call(node: SyntaxNode): Values {
    const callee = node.at('function')
    if (callee === undefined) return UNKNOWN
    const args = (node.at('arguments')?.children ?? []).filter(({ type }) => type !== 'comment')
    const [first, second] = args
    const names = textsOf(first === undefined ? UNKNOWN : values(first))
    if (returnsThis(callee)) return path('globalThis')
    const found = pathsOf(values(callee)).map((name): Values => {
      if (LOADERS.has(name)) return union(names.map((module) => path(plainModule(module))))
      if (name === 'module.createRequire') return path('require')
      if (name === 'Object.getPrototypeOf') return first === undefined ? UNKNOWN : values(first)
      if (name === 'Reflect.get' || name === 'Object.getOwnPropertyDescriptor')
        return member(first ? values(first) : UNKNOWN, second ? textsOf(values(second)) : [])
      if (name === 'String.fromCharCode')
        return joined(args.map((code) => union(textsOf(values(code)).map(characterText))))
      return UNKNOWN
    })
    return union([...found, method(callee, args)])
  }

  /** What methods of texts and lists make of what is known: `['ev', 'al'].join('')`, `'lave'.split('').reverse().join('')`. */
  function method(callee: SyntaxNode, args: readonly SyntaxNode[]): Values {
    const [object, name] = [callee.at('object'), callee.at('property')]
    if (callee.type !== 'member_expression' || !object || !name) return UNKNOWN
    const first = args[0] === undefined ? UNKNOWN : values(args[0])
    switch (nameOf(name)) {
      case 'toString':
      case 'trim':
        return values(object)
      case 'toLowerCase':
        return union(textsOf(values(object)).map((value) => text(value.toLowerCase())))
      case 'concat':
        return joined([values(object), ...args.map(values)])
      case 'join':
        if (object.type !== 'array' || object.children.length > 64) return UNKNOWN
        return union(textsOf(first).map((separator) => joined(object.children.map(values), separator)))
      case 'bind':
        return values(object)
      default:
        return UNKNOWN
    }
  }

  /** What a name may be here; scopes of this language leave no doubt, so the nearest one that has it decides. */
  function lookUp(name: string, from: Scope | undefined): Values {
    for (let scope = from; scope !== undefined; scope = scope.parent) {
      const candidates = scope.names.get(name)
      if (candidates !== undefined) return union(candidates.map(candidateValues))
    }
    return path(name)
  }

  function candidateValues({ node, path: direct, keys = [] }: Candidate): Values {
    if (direct !== undefined) return path(direct)
    if (node === undefined) return UNKNOWN
    let found = values(node)
    for (const key of keys) found = member(found, [key])
    return found
  }
}

/** `(function () { return this })` called without an object returns the global one. */
function returnsThis(callee: SyntaxNode): boolean {
  const made = callee.type === 'parenthesized_expression' ? callee.children[0] : callee
  const returned =
    made?.type === 'function_expression' ? made.at('body')?.first('return_statement') : undefined
  return returned?.children[0]?.type === 'this'
}

/** What an object's member of that name is. */
export function member(object: Values, names: readonly string[]): Values {
  const bases = pathsOf(object)
  return union(
    names.flatMap((name) => {
      // Whatever it is read from: a constructor's constructor makes functions of text.
      if (name === 'constructor' && bases.length === 0) return [path('*.constructor')]
      return bases.map((base) => path(memberPath(base, name)))
    }),
  )
}

function memberPath(base: string, name: string): string {
  if (GLOBALS.has(base)) return name
  if (name === 'default') return base
  const makesFunctions =
    base === FUNCTION_PATH || base.endsWith('.constructor') || /^[A-Z]\w*(\.prototype)?$/.test(base)
  if (name === 'constructor' && makesFunctions)
    return base.endsWith('.prototype') && base !== 'Function.prototype' ? '*.constructor' : 'Function'
  if (name === '__proto__' || (base === FUNCTION_PATH && name === 'prototype')) return base
  // `.call`, `.apply` and `.bind` are the function itself, as far as rules go.
  return base !== 'Reflect' && ['call', 'apply'].includes(name) ? base : `${base}.${name}`
}

function characterText(code: string): Values {
  const number = Number(code)
  return Number.isInteger(number) && number >= 0 && number <= 0xffff
    ? text(String.fromCharCode(number))
    : UNKNOWN
}

const SIMPLE: typeof ESCAPES = { ...ESCAPES, 0: '\0' }

function unescaped(source: string): string {
  return source.replaceAll(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|([\s\S]))/g,
    (_, long?: string, short?: string, hex?: string, newline?: string, other = '') => {
      const digits = long ?? short ?? hex
      if (digits !== undefined) {
        return character(Number.parseInt(digits, 16))
      }
      return newline === undefined ? (SIMPLE[other] ?? other) : ''
    },
  )
}
