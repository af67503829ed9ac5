import { type Candidate, Scope } from '../tree/scope.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'

const FUNCTIONS = new Set(['function_definition', 'lambda'])
const COMPREHENSIONS = new Set([
  'list_comprehension',
  'set_comprehension',
  'dictionary_comprehension',
  'generator_expression',
])

/** The name that an identifier stands for: Python reads `𝐞𝐯𝐚𝐥` as `eval`. */
export function nameOf(node: SyntaxNode): string {
  return node.text.normalize('NFKC')
}

/** Which scope each node is read in, with every name that the program binds. */
export function scopesOf(nodes: readonly SyntaxNode[]): ReadonlyMap<SyntaxNode, Scope> {
  const module = new Scope('module')
  const scopes = new Map<SyntaxNode, Scope>()
  /** Scopes that nodes open for what is inside them. */
  const inner = new Map<SyntaxNode, Scope>()
  for (const node of nodes) {
    const scope = scopeFor(node, scopes, inner) ?? module
    scopes.set(node, scope)
    if (FUNCTIONS.has(node.type)) inner.set(node, new Scope('function', scope))
    else if (node.type === 'class_definition') inner.set(node, new Scope('class', scope))
    else if (COMPREHENSIONS.has(node.type)) inner.set(node, new Scope('comprehension', scope))
    bindNames(node, scope, inner.get(node), module)
  }
  for (const node of nodes) if (node.type === 'delete_statement') forget(node, module)
  return scopes
}

/** Defaults, annotations, bases and the first thing looped over are read outside of what they belong to. */
function scopeFor(
  node: SyntaxNode,
  scopes: ReadonlyMap<SyntaxNode, Scope>,
  inner: ReadonlyMap<SyntaxNode, Scope>,
): Scope | undefined {
  const { parent } = node
  if (parent === undefined) return undefined
  const opened = inner.get(parent)
  if (opened === undefined) {
    const inClause = parent.type === 'for_in_clause' && node.field === 'right'
    return inClause ? scopes.get(parent)?.parent : scopes.get(parent)
  }
  const inside = opened.kind === 'comprehension' || node.field === 'body'
  return inside ? opened : scopes.get(parent)
}

function bindNames(node: SyntaxNode, scope: Scope, opened: Scope | undefined, module: Scope): void {
  switch (node.type) {
    case 'import_statement':
      for (const child of node.children) bindImport(child, scope)
      return
    case 'import_from_statement':
      bindFrom(node, scope)
      return
    case 'function_definition':
    case 'class_definition':
    case 'lambda':
      bindDefinition(node, scope, opened)
      return
    case 'global_statement':
    case 'nonlocal_statement': {
      const owner = node.type === 'global_statement' ? module : scope.parent?.nearest('function')
      for (const child of node.children) if (owner) scope.elsewhere.set(nameOf(child), owner)
      return
    }
    case 'assignment':
    case 'augmented_assignment':
      bindTarget(node.at('left'), node.at('right'), scope)
      return
    case 'named_expression':
      bindTarget(node.at('name'), node.at('value'), scope.nearest('function', 'module', 'class'))
      return
    case 'for_statement':
    case 'for_in_clause':
      for (const value of elementsOf(node.at('right')) ?? [undefined])
        bindTarget(node.at('left'), value, scope)
      return
    case 'as_pattern':
      bindTarget(node.at('alias'), node.children[0], scope)
      return
    case 'case_pattern':
      for (const name of node.children)
        if (name.type === 'dotted_name') bindTarget(name.children[0], subjectOf(node), scope)
      return
    case 'splat_pattern':
      for (const name of node.children) bindTarget(name, undefined, scope)
      return
    default:
  }
}

/** What a pattern is matched against, as a whole: `match os: case m`. */
function subjectOf(node: SyntaxNode): SyntaxNode | undefined {
  const clause = node.parent
  return clause?.type === 'case_clause' ? clause.parent?.parent?.at('subject') : undefined
}

/** `import a.b` binds `a`, `import a.b as c` binds `c`. */
function bindImport(node: SyntaxNode, scope: Scope): void {
  if (node.type === 'dotted_name') {
    const root = node.children[0]
    if (root !== undefined) scope.bind(nameOf(root), { path: nameOf(root) })
  } else if (node.type === 'aliased_import') {
    const [module, alias] = [node.at('name'), node.at('alias')]
    if (module && alias) scope.bind(nameOf(alias), { path: dotted(module) })
  }
}

function bindFrom(node: SyntaxNode, scope: Scope): void {
  const module = node.at('module_name')
  if (module === undefined) return
  const from = module.type === 'relative_import' ? '.' : dotted(module)
  if (node.first('wildcard_import')) scope.nearest('module').stars.push(from)
  for (const child of node.children) {
    if (child.field !== 'name') continue
    const name = child.type === 'aliased_import' ? child.at('name') : child
    const alias = child.type === 'aliased_import' ? child.at('alias') : child
    if (name && alias) scope.bind(dotted(alias), { path: `${from}.${dotted(name)}` })
  }
}

function bindDefinition(node: SyntaxNode, scope: Scope, opened: Scope | undefined): void {
  const name = node.at('name')
  if (name !== undefined) {
    scope.bind(nameOf(name))
    // Undecorated and not in an `if`: from here on the name is the program's own.
    if (scope.kind === 'module' && node.parent?.type === 'module') scope.definite.set(nameOf(name), node.end)
  }
  for (const parameter of node.at('parameters')?.children ?? []) {
    if (opened !== undefined) bindParameter(parameter, opened)
  }
}

function bindParameter(node: SyntaxNode, scope: Scope): void {
  if (node.type === 'default_parameter' || node.type === 'typed_default_parameter') {
    bindTarget(node.at('name'), node.at('value'), scope)
  } else if (node.type === 'typed_parameter') {
    bindTarget(node.children[0], undefined, scope)
  } else {
    bindTarget(node, undefined, scope)
  }
}

/** Binds what stands on the left to what stands on the right, element by element where both are lists. */
function bindTarget(left: SyntaxNode | undefined, right: SyntaxNode | undefined, scope: Scope): void {
  // A stack of its own: targets nest as deep as their author likes.
  const open: [SyntaxNode | undefined, SyntaxNode | undefined][] = [[left, right]]
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [target, value] = pair
    if (target === undefined) continue
    if (target.type === 'identifier') {
      const candidate: Candidate = value === undefined ? {} : { node: value }
      scope.bind(nameOf(target), candidate)
    } else if (target.type === 'attribute' || target.type === 'subscript' || target.type === 'call') {
    } else {
      const values = elementsOf(value)
      const pairwise = values?.length === target.children.length
      const single = target.children.length === 1 && target.type === 'as_pattern_target'
      target.children.forEach((child, index) => {
        open.push([child, single ? value : pairwise ? values?.[index] : undefined])
      })
    }
  }
}

/** The elements of a list or tuple that is written out. */
function elementsOf(node: SyntaxNode | undefined): readonly SyntaxNode[] | undefined {
  return node !== undefined && ['list', 'tuple', 'expression_list', 'set'].includes(node.type)
    ? node.children
    : undefined
}

/** After a `del` anywhere the global may be back. */
function forget(node: SyntaxNode, module: Scope): void {
  const open = [...node.children]
  for (let child = open.pop(); child !== undefined; child = open.pop()) {
    if (child.type === 'identifier') module.definite.delete(nameOf(child))
    else open.push(...child.children)
  }
}

/** A dotted name without spaces and comments in between. */
export function dotted(node: SyntaxNode): string {
  return node.type === 'dotted_name' ? node.children.map(nameOf).join('.') : nameOf(node)
}
