import type { Sighting } from '../finding.ts'
import type { Fact } from '../rule.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { pathsOf, textsOf, type Values } from '../tree/value.ts'
import { argumentsOf } from './calls.ts'
import { evaluatorOf } from './evaluate.ts'
import { dotted, nameOf, scopesOf } from './scopes.ts'

const OPENERS = new Set(['builtins.open', 'io.open', 'codecs.open', 'os.fdopen'])
const IMPORTERS = new Set(['builtins.__import__', 'importlib.__import__', 'importlib.import_module'])
const REFLECTORS = new Set([
  'builtins.getattr',
  'builtins.setattr',
  'builtins.delattr',
  'operator.attrgetter',
])
/** Expressions that may be a global or a member of a module. */
const READERS = new Set(['identifier', 'attribute', 'subscript', 'call'])
const DUNDER = /__\w+__/g

/** Everything in a Python program that a rule may ask for. */
export function sightPython(nodes: readonly SyntaxNode[]): Sighting[] {
  const values = evaluatorOf(scopesOf(nodes))
  const found: Sighting[] = []
  const say = (node: SyntaxNode, kind: Fact['kind'], name: string) =>
    void found.push({ kind, name, offset: node.start })

  // Children first: what is nested deeply is then known from below, without recursion.
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index]
    if (node === undefined) continue
    if (node.type === 'import_statement') {
      for (const child of node.children) {
        const module = child.type === 'aliased_import' ? child.at('name') : child
        if (module?.type === 'dotted_name') sayImport(node, dotted(module))
      }
    } else if (node.type === 'import_from_statement') sightFrom(node)
    else if (node.type === 'exec_statement') say(node, 'use', 'builtins.exec')
    else if (READERS.has(node.type) && !isBinding(node)) sightExpression(node)
  }
  return found

  function sightFrom(node: SyntaxNode): void {
    const module = node.at('module_name')
    if (module?.type !== 'dotted_name') return
    const from = dotted(module)
    sayImport(node, from)
    for (const child of node.children) {
      const name = child.type === 'aliased_import' ? child.at('name') : child
      if (child.field !== 'name' || name === undefined) continue
      const member = dotted(name)
      say(node, 'use', `${from}.${member}`)
      say(node, 'attribute', member)
      if (from !== member) sayCarried(node, from, member)
      // A name taken out of a package may be a module of it: `from os import path`, `from urllib import request`.
      say(node, 'import', `${from}.${member}`)
    }
  }

  /** `from random import _os` imports os. */
  function sayCarried(node: SyntaxNode, from: string, member: string): void {
    const bare = member.replace(/^_+/, '')
    if (bare !== from && ['os', 'sys', 'subprocess', 'builtins', 'importlib'].includes(bare))
      sayImport(node, bare)
  }

  function sayImport(node: SyntaxNode, module: string): void {
    const parts = module.split('.')
    for (let count = 1; count <= parts.length; count++) say(node, 'import', parts.slice(0, count).join('.'))
  }

  function sightExpression(node: SyntaxNode): void {
    const paths = pathsOf(values(node))
    for (const path of paths) {
      say(node, 'use', path)
      // A module at the end of a chain that began elsewhere: `random._os`, `sys.modules['os']`, `__import__('os')`.
      if (node.type !== 'identifier' && !path.startsWith('builtins.')) sayImport(node, path)
    }
    if (node.type === 'identifier' && node.text.startsWith('__')) say(node, 'attribute', nameOf(node))
    if (node.type === 'attribute') {
      const name = node.at('attribute')
      if (name) say(node, 'attribute', nameOf(name))
    } else if (node.type === 'subscript') {
      sayAttributes(node, known(node.at('subscript')))
    } else if (node.type === 'call') sightCall(node)
  }

  function sightCall(node: SyntaxNode): void {
    const callee = node.at('function')
    if (callee === undefined) return
    const { positional, named, spread } = argumentsOf(node)
    for (const name of pathsOf(values(callee))) {
      if (OPENERS.has(name)) sightOpen(node, positional[1] ?? named.get('mode'), spread)
      if (name === 'builtins.getattr') sightComputed(node, positional)
      if (REFLECTORS.has(name)) for (const argument of positional) sayAttributes(node, known(argument))
      if (IMPORTERS.has(name)) {
        const modules = textsOf(known(positional[0] ?? named.get('name')))
        for (const module of modules) sayImport(node, module)
        if (modules.length === 0) say(node, 'shape', 'computed-import')
      }
    }
    // Format strings read attributes: `'{0.__class__}'.format(x)`.
    const template = callee.type === 'attribute' ? callee.at('object') : undefined
    for (const text of textsOf(known(template))) {
      for (const [name] of text.matchAll(DUNDER)) say(node, 'attribute', name)
    }
  }

  /** `getattr(os, name)` may be any function of the module; of the program's own objects nobody need care. */
  function sightComputed(node: SyntaxNode, [object, name]: readonly SyntaxNode[]): void {
    const ofModule = pathsOf(known(object)).some((path) => !path.startsWith('builtins.'))
    if (ofModule && textsOf(known(name)).length === 0) say(node, 'shape', 'computed-attribute')
  }

  function sightOpen(node: SyntaxNode, mode: SyntaxNode | undefined, spread: boolean): void {
    const modes = textsOf(known(mode))
    if (modes.some((text) => /[wax+]/.test(text))) say(node, 'shape', 'open-for-writing')
    else if (spread || (mode !== undefined && modes.length === 0))
      say(node, 'shape', 'open-with-computed-mode')
  }

  function sayAttributes(node: SyntaxNode, names: Values): void {
    for (const name of textsOf(names)) say(node, 'attribute', name)
  }

  function known(node: SyntaxNode | undefined): Values {
    return node === undefined ? [] : values(node)
  }
}

const BINDING_FIELDS = new Set(['name', 'alias', 'attribute'])
const NAMELESS = new Set([
  'dotted_name',
  'global_statement',
  'nonlocal_statement',
  'parameters',
  'lambda_parameters',
])
const TARGETS = new Set([
  'pattern_list',
  'tuple_pattern',
  'list_pattern',
  'list_splat_pattern',
  'as_pattern_target',
])

/** Whether an identifier gets a value here, or is but a name, rather than being read. */
function isBinding(node: SyntaxNode): boolean {
  const { parent, field } = node
  if (node.type !== 'identifier' || parent === undefined) return false
  if (field !== null && BINDING_FIELDS.has(field)) return true
  if (NAMELESS.has(parent.type) || TARGETS.has(parent.type)) return true
  if (parent.type === 'typed_parameter' || parent.type === 'dictionary_splat_pattern') return field === null
  // A for loop, a comprehension or an assignment writes what is on its left; `x += 1` reads it too.
  return field === 'left' && ['assignment', 'for_statement', 'for_in_clause'].includes(parent.type)
}
