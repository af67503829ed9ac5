import type { Sighting } from '../finding.ts'
import type { Fact } from '../rule.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { pathsOf, textsOf, type Values } from '../tree/value.ts'
import { evaluatorOf, GLOBALS, LOADERS, member } from './evaluate.ts'
import { moduleName, nameOf, plainModule, scopesOf } from './scopes.ts'

/** Expressions that may be a global or a member of a module. */
const READERS = new Set([
  'identifier',
  'shorthand_property_identifier',
  'member_expression',
  'subscript_expression',
  'call_expression',
])
const OPENERS = new Set(['fs.open', 'fs.openSync', 'fs.promises.open'])

/**
 * Everything in a JavaScript or TypeScript program that a rule may ask for.
 *
 * @param others base names of the job's files that nobody reads as source; `require` runs any file, whatever it is called
 */
export function sightJavaScript(
  nodes: readonly SyntaxNode[],
  others: ReadonlySet<string> = new Set(),
): Sighting[] {
  const values = evaluatorOf(scopesOf(nodes))
  const found: Sighting[] = []
  const say = (node: SyntaxNode, kind: Fact['kind'], name: string) =>
    void found.push({ kind, name, offset: node.start })

  // Children first: what is nested deeply is then known from below, without recursion.
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index]
    if (node === undefined) continue
    if (node.type === 'import_statement' || node.type === 'export_statement') sightImport(node)
    else if (node.type === 'with_statement') say(node, 'shape', 'with-statement')
    else if (node.type === 'pair_pattern' || node.type === 'object_pattern') sightPattern(node)
    else if (READERS.has(node.type) && !isBinding(node)) sightExpression(node)
  }
  return found

  function sightImport(node: SyntaxNode): void {
    // Types are gone when the program runs.
    if (/^(import|export)\s+type\b(?!\s+from\b|\s*,)/.test(node.text.slice(0, 200))) return
    const source = node.at('source') ?? node.first('import_require_clause')?.at('source')
    const module = moduleName(source)
    if (module === undefined) return
    sayImport(node, module)
    const names = [node.first('import_clause')?.first('named_imports'), node.first('export_clause')]
    for (const specifier of names.flatMap((list) => list?.children ?? [])) {
      const name = specifier.at('name')
      if (name) say(node, 'use', `${module}.${nameOf(name)}`)
    }
  }

  function sayImport(node: SyntaxNode, module: string): void {
    if (module.startsWith('data:')) say(node, 'shape', 'data-import')
    const parts = module.split('.')
    // A path's separators are dots by now, and JSON is only read.
    const isRun = !module.endsWith('.json') && parts.some((_, at) => others.has(parts.slice(at).join('.')))
    if (isRun) say(node, 'shape', 'unchecked-file')
    for (let count = 1; count <= parts.length; count++) say(node, 'import', parts.slice(0, count).join('.'))
  }

  /** `const { constructor: c } = x` reads the attribute as `x.constructor` does. */
  function sightPattern(node: SyntaxNode): void {
    if (node.type === 'pair_pattern') {
      const key = node.at('key')
      if (key?.type === 'property_identifier') say(node, 'attribute', nameOf(key))
      if (key?.type === 'computed_property_name')
        sightMember(node, known(node.parent?.parent?.at('value')), known(key.children[0]))
      return
    }
    for (const child of node.children) {
      if (child.type === 'shorthand_property_identifier_pattern') say(child, 'attribute', nameOf(child))
    }
  }

  function sightExpression(node: SyntaxNode): void {
    if (!isHarmless(node)) for (const path of pathsOf(values(node))) say(node, 'use', path)
    if (node.type === 'member_expression') {
      const property = node.at('property')
      if (property) say(node, 'attribute', nameOf(property))
    } else if (node.type === 'subscript_expression') {
      sightMember(node, known(node.at('object')), known(node.at('index')))
    } else if (node.type === 'call_expression') sightCall(node)
  }

  /** What brackets reach, in an expression or a pattern. */
  function sightMember(node: SyntaxNode, object: Values, key: Values): void {
    const names = textsOf(key)
    for (const name of names) say(node, 'attribute', name)
    for (const path of pathsOf(member(object, names))) say(node, 'use', path)
    const ofGlobals = pathsOf(object).some((path) => GLOBALS.has(path) || path === 'process')
    if (ofGlobals && names.length === 0) say(node, 'shape', 'computed-attribute')
  }

  function sightCall(node: SyntaxNode): void {
    const args = node.at('arguments')?.children.filter(({ type }) => type !== 'comment') ?? []
    for (const name of pathsOf(known(node.at('function')))) {
      if (LOADERS.has(name)) {
        const modules = textsOf(known(args[0]))
        for (const module of modules) sayImport(node, plainModule(module))
        if (modules.length === 0) say(node, 'shape', 'computed-import')
      }
      const flags = textsOf(known(args[1]))
      if (OPENERS.has(name) && flags.some((text) => /[wax+]/.test(text)))
        say(node, 'shape', 'open-for-writing')
    }
  }

  function known(node: SyntaxNode | undefined): Values {
    return node === undefined ? [] : values(node)
  }
}

/** `x instanceof Function` and `Function.prototype` ask what something is; they make no code. */
function isHarmless(node: SyntaxNode): boolean {
  const { parent } = node
  if (parent?.type === 'binary_expression') {
    return parent.at('operator')?.type === 'instanceof' && node.field === 'right'
  }
  if (parent?.type !== 'member_expression' || node.field !== 'object') return false
  return ['prototype', 'name', 'length'].includes(parent.at('property')?.text ?? '')
}

/** Whether an identifier gets a value here, or is but a name, rather than being read. */
function isBinding(node: SyntaxNode): boolean {
  const { parent, field } = node
  if (node.type !== 'identifier' || parent === undefined) return false
  if (field === 'name' || field === 'alias' || field === 'parameter' || field === 'pattern') {
    // `export { eval as e }` reads the name that it exports.
    return parent.type !== 'export_specifier' || field === 'alias'
  }
  if (field === 'left')
    return ['assignment_expression', 'for_in_statement', 'assignment_pattern'].includes(parent.type)
  return [
    'formal_parameters',
    'import_clause',
    'namespace_import',
    'import_require_clause',
    'rest_pattern',
  ].includes(parent.type)
}
