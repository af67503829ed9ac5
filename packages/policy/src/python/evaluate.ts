import { memoized } from '../tree/memoized.ts'
import type { Candidate, Scope } from '../tree/scope.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { joined, path, pathsOf, text, textsOf, UNKNOWN, union, type Values } from '../tree/value.ts'
import { call } from './calls.ts'
import { literal } from './literals.ts'
import { nameOf } from './scopes.ts'

/** Modules that other modules carry as an attribute (`random._os`). */
const CARRIED = new Set([
  'os',
  'sys',
  'subprocess',
  'builtins',
  'importlib',
  'posix',
  'ctypes',
  'socket',
  'io',
])
/** Expressions within expressions that are followed; what is nested deeper was looked at from below already. */
const DEEPEST = 64

/** Makes the function that finds what expressions of one program may be; it remembers what it found. */
export function evaluatorOf(scopes: ReadonlyMap<SyntaxNode, Scope>): (node: SyntaxNode) => Values {
  const values = memoized(DEEPEST, fresh)
  return values

  function fresh(node: SyntaxNode): Values {
    switch (node.type) {
      case 'identifier':
        return lookUp(nameOf(node), scopes.get(node), node.start)
      case 'string':
        return literal(node, values)
      case 'integer':
        return text(node.text)
      case 'concatenated_string':
        return joined(node.children.filter(({ type }) => type !== 'comment').map(values))
      case 'parenthesized_expression':
      case 'await':
        return union(node.children.map(values))
      case 'binary_operator':
        return node.at('operator')?.type === '+' ? joined([at(node, 'left'), at(node, 'right')]) : UNKNOWN
      case 'boolean_operator':
        return union([at(node, 'left'), at(node, 'right')])
      case 'conditional_expression':
        return union([node.children[0], node.children[2]].map((child) => (child ? values(child) : UNKNOWN)))
      case 'named_expression':
        return at(node, 'value')
      case 'assignment':
        return at(node, 'right')
      case 'list':
      case 'tuple':
      case 'set':
      case 'dictionary':
        return contents(node)
      case 'attribute': {
        const name = node.at('attribute')
        return name === undefined ? UNKNOWN : member(at(node, 'object'), [nameOf(name)])
      }
      case 'subscript':
        return subscript(node)
      case 'call':
        return call(node, { values, global: (name) => lookUp(name, scopes.get(node), node.start) })
      default:
        return UNKNOWN
    }
  }

  function at(node: SyntaxNode, field: string): Values {
    const child = node.at(field)
    return child === undefined ? UNKNOWN : values(child)
  }

  /** The globals and members in a list that is written out: `[os][0]` may be any of them. */
  function contents(node: SyntaxNode): Values {
    const elements = node.children.map((child) =>
      child.type === 'pair' ? at(child, 'value') : values(child),
    )
    return union(elements.map((element) => element.filter((value) => 'path' in value)))
  }

  function subscript(node: SyntaxNode): Values {
    const index = node.at('subscript')
    if (index === undefined) return UNKNOWN
    const object = at(node, 'value')
    if (index.type === 'slice') {
      // `'lave'[::-1]`, the one slice that is a habit of those who hide names.
      const backwards = /^::-1$/.test(index.text.replaceAll(/\s/g, ''))
      return backwards ? union(textsOf(object).map((value) => text([...value].reverse().join('')))) : UNKNOWN
    }
    return item(object, textsOf(values(index)), (name) => lookUp(name, scopes.get(node), node.start))
  }

  /** What a name may be here: what the nearest scopes bind it to, and the built-in where none of them must have it. */
  function lookUp(name: string, from: Scope | undefined, offset: number): Values {
    const found: Values[] = []
    for (let scope = from; scope !== undefined; scope = scope.parent) {
      if (scope.kind === 'class' && scope !== from) continue
      const candidates = scope.names.get(name)
      if (candidates === undefined || scope.elsewhere.has(name)) continue
      found.push(...candidates.map(candidateValues))
      if (scope.kind === 'function' || scope.kind === 'comprehension') return union(found)
      const definite = scope.definite.get(name)
      if (definite !== undefined && offset >= definite) return union(found)
    }
    const module = from?.nearest('module')
    const stars = module?.stars.map((star) => path(`${star}.${name}`)) ?? []
    const own = name === '__builtins__' ? path('builtins') : path(`builtins.${name}`)
    return union([...found, ...stars, own])
  }

  function candidateValues(candidate: Candidate): Values {
    if (candidate.path !== undefined) return imported(candidate.path)
    return candidate.node === undefined ? UNKNOWN : values(candidate.node)
  }
}

/** What a name is that an import binds. */
export function imported(whole: string): Values {
  const dot = whole.lastIndexOf('.')
  return dot <= 0 ? path(whole) : member(path(whole.slice(0, dot)), [whole.slice(dot + 1)])
}

/** What an object's attribute of that name is. */
export function member(object: Values, names: readonly string[]): Values {
  return union(
    pathsOf(object).flatMap((base) =>
      names.map((name) => {
        // What a built-in belongs to is their module.
        if (name === '__self__' && base.startsWith('builtins.')) return path('builtins')
        const bare = name.replace(/^_+/, '')
        if (CARRIED.has(bare) && base !== bare && !base.startsWith('builtins.')) return path(bare)
        return path(`${base}.${name}`)
      }),
    ),
  )
}

/** What `object[name]` is: entries of name spaces are what attributes are. */
export function item(object: Values, names: readonly string[], global: (name: string) => Values): Values {
  return union(
    pathsOf(object).flatMap((base) => {
      if (base === 'builtins.globals()') return names.map(global)
      if (base === 'sys.modules') return names.map(path)
      if (base === 'builtins') return [member([{ path: base }], names)]
      if (base.endsWith('.__dict__')) return [member([{ path: base.slice(0, -'.__dict__'.length) }], names)]
      return [path(base)]
    }),
  )
}
