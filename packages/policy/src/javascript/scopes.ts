import { type Candidate, Scope } from '../tree/scope.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'

const FUNCTIONS = new Set([
  'function_declaration',
  'function_expression',
  'generator_function_declaration',
  'generator_function',
  'arrow_function',
  'method_definition',
])
const BLOCKS = new Set([
  'statement_block',
  'for_statement',
  'for_in_statement',
  'catch_clause',
  'switch_body',
])

/** What functions are: their `constructor` makes code of text. */
export const FUNCTION_PATH = '*function'

/** The name that an identifier stands for: `\u0065val` is `eval`. */
export function nameOf(node: SyntaxNode): string {
  return node.text.replaceAll(/\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/g, (whole, long, short) => {
    const code = Number.parseInt(long ?? short, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** Whether a node is a function. */
export function isFunction(node: SyntaxNode): boolean {
  return FUNCTIONS.has(node.type)
}

/** Which scope each node is read in, with every name that the program binds. */
export function scopesOf(nodes: readonly SyntaxNode[]): ReadonlyMap<SyntaxNode, Scope> {
  const top = new Scope('module')
  const scopes = new Map<SyntaxNode, Scope>()
  const inner = new Map<SyntaxNode, Scope>()
  for (const node of nodes) {
    const { parent } = node
    const scope = parent === undefined ? top : (inner.get(parent) ?? scopes.get(parent) ?? top)
    scopes.set(node, scope)
    if (isFunction(node)) inner.set(node, new Scope('function', scope))
    else if (BLOCKS.has(node.type)) inner.set(node, new Scope('block', scope))
    bindNames(node, scope, inner.get(node))
  }
  // Assignments come last: what they write to may be declared below them.
  for (const node of nodes) bindAssignment(node, scopes.get(node) ?? top)
  return scopes
}

function bindNames(node: SyntaxNode, scope: Scope, opened: Scope | undefined): void {
  const name = node.at('name')
  switch (node.type) {
    case 'function_declaration':
    case 'generator_function_declaration':
      if (name) scope.bind(nameOf(name), { path: FUNCTION_PATH })
      break
    case 'function_expression':
    case 'generator_function':
      if (name) opened?.bind(nameOf(name), { path: FUNCTION_PATH })
      break
    case 'class_declaration':
    case 'enum_declaration':
    case 'internal_module':
      if (name?.type.endsWith('identifier')) scope.bind(nameOf(name), { path: FUNCTION_PATH })
      break
    case 'variable_declarator': {
      const isVar = node.parent?.type === 'variable_declaration'
      bindPattern(name, node.at('value'), isVar ? scope.nearest('function', 'module') : scope)
      break
    }
    case 'for_in_statement': {
      const isVar = node.at('kind')?.type === 'var'
      // Without a keyword it writes to a name that is declared elsewhere.
      if (node.at('kind'))
        bindPattern(
          node.at('left'),
          undefined,
          isVar ? scope.nearest('function', 'module') : (opened ?? scope),
        )
      break
    }
    case 'catch_clause':
      bindPattern(node.at('parameter'), undefined, opened ?? scope)
      break
    case 'import_statement':
      bindImport(node, scope)
      break
    default:
  }
  if (opened?.kind === 'function') bindParameters(node, opened)
}

function bindParameters(node: SyntaxNode, scope: Scope): void {
  bindPattern(node.at('parameter'), undefined, scope)
  for (const parameter of node.at('parameters')?.children ?? []) {
    const typed = parameter.at('pattern')
    bindPattern(typed ?? parameter, parameter.at('value'), scope)
  }
}

function bindImport(node: SyntaxNode, scope: Scope): void {
  const required = node.first('import_require_clause')
  const source = moduleName(required?.at('source') ?? node.at('source'))
  if (source === undefined) return
  const bound = required?.first('identifier')
  if (bound) scope.bind(nameOf(bound), { path: source })
  const clause = node.first('import_clause')
  for (const child of clause?.children ?? []) {
    // A default import of a module of Node's is the module.
    if (child.type === 'identifier') scope.bind(nameOf(child), { path: source })
    const all = child.type === 'namespace_import' ? child.first('identifier') : undefined
    if (all) scope.bind(nameOf(all), { path: source })
    for (const specifier of child.type === 'named_imports' ? child.children : []) {
      const [name, alias] = [specifier.at('name'), specifier.at('alias') ?? specifier.at('name')]
      if (!name || !alias) continue
      const member = nameOf(name) === 'default' ? source : `${source}.${nameOf(name)}`
      scope.bind(nameOf(alias), { path: member })
    }
  }
}

/** The module that a literal names, without Node's prefix, sub-paths with a dot: `fs.promises`. */
export function moduleName(source: SyntaxNode | undefined): string | undefined {
  return source === undefined ? undefined : plainModule(source.text.slice(1, -1))
}

/** A module by its plain name: `node:fs/promises` is `fs.promises`. */
export function plainModule(name: string): string {
  return name.replace(/^node:/, '').replaceAll('/', '.')
}

function bindAssignment(node: SyntaxNode, scope: Scope): void {
  if (node.type !== 'assignment_expression' && node.type !== 'augmented_assignment_expression') return
  const left = node.at('left')
  if (left === undefined || left.type === 'member_expression' || left.type === 'subscript_expression') return
  bindPattern(left, node.at('right'), scope, true)
}

/** Binds the names of a pattern; with `declared`, where they are declared already. */
function bindPattern(
  pattern: SyntaxNode | undefined,
  value: SyntaxNode | undefined,
  scope: Scope,
  declared = false,
): void {
  const open: [SyntaxNode, readonly string[], SyntaxNode | undefined][] = []
  if (pattern !== undefined) open.push([pattern, [], value])
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, keys, from] = next
    const [left, right] = [node.at('left'), node.at('right')]
    switch (node.type) {
      case 'identifier':
      case 'shorthand_property_identifier_pattern':
        bind(node, keys, from)
        break
      case 'assignment_pattern':
      case 'object_assignment_pattern':
        if (left) open.push([left, keys, from])
        if (left) open.push([left, [], right])
        break
      case 'pair_pattern': {
        const [key, target] = [node.at('key'), node.at('value')]
        const name = key && (key.type === 'string' ? key.text.slice(1, -1) : nameOf(key))
        if (target && name !== undefined) open.push([target, [...keys, name].slice(0, 8), from])
        break
      }
      case 'array_pattern':
        for (const child of node.children) open.push([child, [], undefined])
        break
      case 'object_pattern':
      case 'rest_pattern':
      case 'parenthesized_expression':
        for (const child of node.children) open.push([child, keys, from])
        break
      default:
    }
  }

  function bind(node: SyntaxNode, keys: readonly string[], from: SyntaxNode | undefined): void {
    const name = nameOf(node)
    const short = node.type === 'shorthand_property_identifier_pattern' ? [...keys, name] : keys
    const candidate: Candidate = from === undefined ? {} : { node: from, keys: short }
    let home: Scope | undefined = scope
    while (declared && home !== undefined && !home.names.has(name)) home = home.parent
    const owner = home ?? scope.nearest('module')
    // What nobody declares stays the global that it may have been before.
    if (home === undefined) owner.bind(name, { path: name })
    owner.bind(name, candidate)
  }
}
