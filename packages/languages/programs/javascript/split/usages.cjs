// How a script uses names and properties, by its syntax tree.
/** The module of Node's test runner. */
const TEST_MODULE = 'node:test'
/** Functions that load modules in other ways than a script does. */
const LOADING = ['getBuiltinModule', 'createRequire', '_load', '_linkedBinding', 'dlopen']
/** What runs text. The constructor of functions is guarded where the script runs. */
const EVALUATING = ['eval', 'runInThisContext', 'runInNewContext', 'runInContext', 'Script', 'compileFunction', '_compile']
/** Modules that run text, or other programs, which could read the memory of this one. */
const EVALUATING_MODULES = /^(?:node:)?(?:vm|module|worker_threads|child_process|inspector(?:\/promises)?|repl|cluster)$/
/** Functions that change the object that they get first. */
const DEFINING = ['defineProperty', 'defineProperties', 'assign', 'setPrototypeOf']
/** Functions that tell which members an object has. */
const LISTING = /^(?:keys|ownKeys|getOwn\w+)$/
/** Names that a test runner, a browser or another runtime defines, by which a script finds out where it runs. */
const ENVIRONMENT = new Set(
  'test it describe suite specify before after beforeEach afterEach beforeAll afterAll expect chai jest vi mocha jasmine QUnit window document self navigator Deno Bun importScripts'.split(' '),
)

class Usages {
  #parents = new Map()
  #identifiers = new Map()
  /** The names of all properties that the script takes from objects. */
  properties = new Set()
  /** All texts in the script. */
  texts = new Set()

  constructor(nodes) {
    this.nodes = nodes
    for (const node of nodes) for (const part of partsOfNode(node)) this.#parents.set(part, node)
    for (const node of nodes) {
      if (node.type === 'Literal' && typeof node.value === 'string') this.texts.add(node.value)
      if (node.type === 'TemplateElement') this.texts.add(node.value.cooked)
      if (node.type === 'Identifier') this.#addIdentifier(node)
    }
  }

  #addIdentifier(node) {
    const parent = this.#parents.get(node)
    const isTaken = parent.type === 'MemberExpression' && parent.property === node && !parent.computed
    const isKey = ['Property', 'MethodDefinition', 'PropertyDefinition'].includes(parent.type) && parent.key === node && !parent.computed
    const isLabel = ['LabeledStatement', 'BreakStatement', 'ContinueStatement'].includes(parent.type)
    if (isTaken || (isKey && this.#parents.get(parent).type === 'ObjectPattern')) this.properties.add(node.name)
    if (isTaken || isKey || isLabel) return
    this.#identifiers.set(node.name, [...(this.#identifiers.get(node.name) ?? []), node])
  }

  /** The places where a variable of that name is declared, read or set. */
  of(name) {
    return this.#identifiers.get(name) ?? []
  }

  /** Whether a script has a word as a name, a property or a text. */
  has(word) {
    return this.#identifiers.has(word) || this.properties.has(word) || this.texts.has(word)
  }

  isUsed(name) {
    return this.#identifiers.has(name)
  }

  /** The node around a node, but for the end of a chain with `?.`. */
  around(node) {
    const parent = this.#parents.get(node)
    return parent?.type === 'ChainExpression' ? this.#parents.get(parent) : parent
  }

  isCalled(node) {
    return this.around(node).type === 'CallExpression' && this.around(node).callee === node
  }

  /** The call of a node if it is a statement of its own, returned or awaited: then nothing uses what it returns. */
  isStatement(node) {
    return this.isCalled(node) && ['ExpressionStatement', 'ReturnStatement', 'AwaitExpression'].includes(this.around(this.around(node)).type)
  }

  /** Whether the call of a node is all that an arrow function does. */
  isArrow(node) {
    return this.isCalled(node) && this.around(this.around(node)).type === 'ArrowFunctionExpression'
  }

  /** The name of the property that is taken of a node; undefined if none is, or a computed one. */
  memberOf(node) {
    const parent = this.around(node)
    return parent.type === 'MemberExpression' && parent.object === node && !parent.computed ? parent.property.name : undefined
  }

  /** The names of the properties that a declaration takes of a node, as in `const { a, b } = node`. */
  takenOf(node) {
    const { type, init, id } = this.around(node)
    return type === 'VariableDeclarator' && init === node && id.type === 'ObjectPattern' ? id.properties.map((each) => each.key?.name) : []
  }

  /** Whether a node is called, looked into, or compared with a literal. */
  isUsedWithLiteral(node) {
    const parent = this.around(node)
    if (this.isCalled(node) || (parent.type === 'MemberExpression' && parent.object === node)) return true
    if (EQUALITY_OPERATORS.includes(parent.operator)) return parent.left === node && isLiteral(parent.right)
    const list = parent.arguments ?? parent.elements ?? []
    const next = list[list.indexOf(node) + 1]
    return list.includes(node) && next !== undefined && isLiteral(next)
  }

  /** Whether a script looks whether there is a property, to take something else in its place. */
  isTested(key) {
    return this.nodes.some((node) => {
      if (node.type === 'BinaryExpression' && node.operator === 'in') return node.left.value === key
      const isMember = node.type === 'MemberExpression' && !node.computed && node.property.name === key
      return isMember && (this.#hasOperator(node, '!', 'typeof') || this.#isComparedWithNothing(node) || this.#hasAlternative(node) || this.#isCondition(node))
    })
  }

  #hasOperator(node, ...operators) {
    const { type, operator } = this.around(node)
    return type === 'UnaryExpression' && operators.includes(operator)
  }

  #isComparedWithNothing(node) {
    const { operator, left, right } = this.around(node)
    const isNothing = (other) => other?.name === 'undefined' || (other?.type === 'Literal' && other.value === null)
    return EQUALITY_OPERATORS.includes(operator) && isNothing(left === node ? right : left)
  }

  #isCondition(node) {
    const parent = this.around(node)
    return hasOwn(CONDITIONS, parent.type) && parent[CONDITIONS[parent.type]] === node
  }

  /** Whether a node has another one in its place if it is nothing, as in `node ?? other` and `node ??= other`. */
  #hasAlternative(node) {
    const { operator, left } = this.around(node)
    return left === node && ['??', '||', '??=', '||='].includes(operator)
  }

  /** Whether a script takes something else in place of a name that is not defined. */
  isFallback(name) {
    const members = ['globalThis', 'global'].flatMap((root) => this.of(root)).filter((node) => this.memberOf(node) === name)
    const places = [...this.of(name), ...members.map((node) => this.around(node))]
    const isSet = (node) => this.around(node).type === 'AssignmentExpression' && this.around(node).left === node
    const isTyped = (node) => this.#hasOperator(node, 'typeof')
    if (places.some(isTyped) && (places.some(isSet) || ENVIRONMENT.has(name))) return true
    const isReplaced = (node) => {
      const { right } = this.around(node)
      return this.#hasAlternative(node) && (isFunctionNode(right) || isFunctionNode(right.callee))
    }
    if (places.some(isReplaced)) return true
    const tested = places.filter((node) => isTyped(node) || node.type === 'MemberExpression')
    return tested.some((node) => nodesOf(this.#statementOf(node)).some((each) => /^[^./]/.test(requiredBy(each) ?? '')))
  }

  #statementOf(node) {
    let at = node
    while (!/Statement$|Declaration$/.test(at.type)) at = this.#parents.get(at)
    return at
  }

  /** What a script sets, deletes or redefines: the paths, such as `process.env.HOME`, and the nodes of the new values. */
  get changes() {
    return this.nodes.flatMap((node) => {
      if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') return [[pathOf(node.left), node.right]]
      if (node.type === 'AssignmentExpression' && this.around(node).type === 'ExpressionStatement') return [[pathOf(node.left), node.right]]
      if (node.type === 'UnaryExpression' && node.operator === 'delete') return [[pathOf(node.argument), undefined]]
      const isDefining = DEFINING.includes(methodOf(node)) || (node.type === 'CallExpression' && pathOf(node.callee) === 'Reflect.set')
      return isDefining && node.arguments.length > 1 ? [[pathOf(node.arguments[0]), undefined]] : []
    })
  }

  /** The paths that a script reads, from their first name on, and those whose members it lists. */
  get looks() {
    const paths = this.nodes.filter(({ type }) => type === 'MemberExpression').map(pathOf)
    const listed = this.nodes.filter((node) => LISTING.test(methodOf(node) ?? '')).map((node) => pathOf(node.arguments[0]))
    return { read: paths.filter(Boolean), listed: listed.filter(Boolean) }
  }

  /** Whether a script could run text that it has not written itself. */
  get evaluates() {
    if (this.nodes.some(({ type, source }) => type === 'ImportExpression' && !isLiteral(source))) return true
    if (this.nodes.some((node) => EVALUATING_MODULES.test(requiredBy(node) ?? node.source?.value ?? ''))) return true
    if (LOADING.some((name) => this.properties.has(name))) return true
    const named = this.nodes.filter(({ type, name }) => type === 'Identifier' && EVALUATING.includes(name))
    return named.some((node) => !this.#isCalledWithLiterals(node))
  }

  /** Whether a name is that of a function, or of a method, that is called with nothing but literals. */
  #isCalledWithLiterals(node) {
    const parent = this.around(node)
    const callee = parent.type === 'MemberExpression' && parent.property === node ? parent : node
    const { type, arguments: given } = this.around(callee)
    return (type === 'CallExpression' || type === 'NewExpression') && this.around(callee).callee === callee && given.every(isLiteral)
  }

  /** Whether a script uses Node's test runner for its tests. */
  get hasRunner() {
    const names = ['test', 'it', 'describe', 'suite']
    return this.nodes.filter((node) => requiredBy(node) === TEST_MODULE).some((node) => {
      const { type, id } = this.around(node)
      if (type === 'VariableDeclarator' && id.type === 'Identifier') return true
      return [...this.takenOf(node), this.memberOf(node)].some((name) => names.includes(name))
    })
  }

  /** Whether a variable of that name has what a module exports. */
  isLoaded(name) {
    const declared = this.nodes.filter(({ type, init }) => type === 'VariableDeclarator' && init !== null && init !== undefined)
    const isFromModule = ({ init }) => nodesOf(init).some((node) => requiredBy(node) !== undefined || node.type === 'ImportExpression')
    return declared.filter(({ id }) => nodesOf(id).some((node) => node.name === name)).some(isFromModule)
  }

  /** Whether a path leads into what a module of Node or of a library exports, by a variable. */
  isOfLibrary(path) {
    const [first, ...keys] = path.split('.')
    const loaded = this.#initsOf(first).map((node) => requiredBy(node)).filter((id) => id !== undefined)
    return loaded.some((id) => !/^[./]/.test(id)) && (keys.length > 0 || isBuiltin(loaded[0]))
  }

  /** A path that begins with a variable for another one, as `proto.sort` after `const proto = Array.prototype`. */
  resolved(path) {
    const [first, ...keys] = path?.split('.') ?? []
    const begin = this.#initsOf(first).map(pathOf).find((each) => each !== undefined && each !== first)
    return begin === undefined ? path : [begin, ...keys].join('.')
  }

  /** What variables of a name are declared with. */
  #initsOf(name) {
    const declared = this.nodes.filter(({ type, id }) => type === 'VariableDeclarator' && id.name === name && name !== undefined)
    return declared.map(({ init }) => init).filter((init) => init !== null && init !== undefined)
  }

  /** Whether a script declares a name, wherever. */
  isDeclared(name) {
    return this.of(name).some((node) => {
      const { type, id } = this.around(node)
      return id === node && (type === 'VariableDeclarator' || type.endsWith('Declaration'))
    })
  }

  /** Whether a value begins with a variable that the script has given what is at a path. */
  isKept(path, value) {
    let first = value
    while (first?.object !== undefined || first?.callee !== undefined) first = first.object ?? first.callee
    return this.nodes.some(({ type, id, init }) => type === 'VariableDeclarator' && first?.type === 'Identifier' && id.name === first.name && pathOf(init) === path)
  }
}

/** The module that a node loads by `require`; undefined if it does not. */
function requiredBy(node) {
  const isRequire = node.type === 'CallExpression' && node.callee.name === 'require'
  return isRequire && typeof node.arguments[0]?.value === 'string' ? node.arguments[0].value : undefined
}

/** A path such as `process.env`, without the global object; undefined for other nodes. */
function pathOf(node) {
  const keys = []
  let at = node
  for (; at?.type === 'MemberExpression' && !at.computed; at = at.object) keys.unshift(at.property.name)
  if (at?.type !== 'Identifier') return undefined
  const isGlobal = ['globalThis', 'global'].includes(at.name) && keys.length > 0
  return (isGlobal ? keys : [at.name, ...keys]).join('.')
}

function isLiteral(node) {
  if (node?.type === 'TemplateLiteral') return node.expressions.length === 0
  return node?.type === 'Literal' || (node?.type === 'UnaryExpression' && node.operator === '-')
}
