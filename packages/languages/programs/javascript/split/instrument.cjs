// Has a script report what it compares by size, and which of its loops run.
/** The global object with the functions that an instrumented script calls. */
const HOOKS = 'isopod$'
const SIZE_HOOKS = { '<': 'less', '>': 'more', '<=': 'notMore', '>=': 'notLess' }
/** Methods that call a function for each item. */
const LOOPS = 'forEach map filter every some find findIndex findLast findLastIndex flatMap reduce reduceRight'.split(' ')
const LISTS = ['entries', 'keys', 'values']

/**
 * The text of a script with calls of hooks. Lines stay the same.
 *
 * - `a < b` becomes `isopod$.less(a, b)`, with a third argument if the script calls something for a lower and for an upper bound.
 * - A callback that throws because two values are not equal reports that first.
 * - What a loop goes through reports itself, if the loop has an assertion or comparison in it, and so does each turn.
 */
function instrument(text, tree) {
  const edits = new Edits(text)
  const nodes = nodesOf(tree)
  const functions = new Map(nodes.flatMap((node) => namedFunction(node)))
  const bounds = boundsOf(text, nodes)
  let sites = 0
  const watch = (list, body) => {
    const source = sourceOf(list)
    if (hasOptional(source) || !judges(body)) return
    edits.wrap(source, `${HOOKS}.over(${sites},(`, '))')
    addTurn(edits, body, `${HOOKS}.ran(${sites++})`)
  }
  const calls = nodes.filter(({ type }) => type === 'CallExpression')
  const failures = new Set([...calls.flatMap((call) => failuresOf(call)), ...nodes.flatMap((node) => tellingIn(node))])
  const rows = new Set(nodes.filter(isAssertionNode).flatMap((node) => rowsOf(node)))
  for (const node of nodes) {
    if (rows.has(node)) edits.wrap(node, `${HOOKS}.row(`, ')')
    if (failures.has(node)) edits.wrap(node, `{${HOOKS}.failing();`, '}')
    if (node.type === 'BinaryExpression' && hasOwn(SIZE_HOOKS, node.operator)) addComparison(edits, node, bounds)
    if (node.type === 'ForOfStatement') watch(node.right, node.body)
    if (!LOOPS.includes(methodOf(node)) || node.callee.object.type === 'Super') continue
    const each = node.arguments[0]
    const called = isFunctionNode(each) ? each : functions.get(each?.name)
    if (called !== undefined) watch(node.callee.object, called.body)
  }
  return edits.text
}

/** The name and the function, where a node gives a function a name. */
function namedFunction(node) {
  if (node.type === 'FunctionDeclaration' && node.id !== null) return [[node.id.name, node]]
  return node.type === 'VariableDeclarator' && isFunctionNode(node.init) ? [[node.id.name, node.init]] : []
}

/** The statements of a call's callbacks that throw an error because two values are not equal. */
function failuresOf({ arguments: given }) {
  const conditions = given.filter(isFunctionNode).flatMap(({ body }) => nodesOf(body)).filter(({ type }) => type === 'IfStatement')
  const isEquality = ({ operator }) => EQUALITY_OPERATORS.includes(operator)
  const failing = conditions.filter(({ test }) => nodesOf(test).some(isEquality))
  return failing.flatMap(({ consequent }) => nodesOf(consequent)).filter(({ type }) => type === 'ThrowStatement')
}

/** Nodes that decide what is done, with their conditions. */
const CONDITIONS = { IfStatement: 'test', ConditionalExpression: 'test', LogicalExpression: 'left' }

/** The statements that throw an error with a computed text if two values are not equal, or for a helper function that was given the text. */
function tellingIn(node) {
  const { type } = node
  const isEqual = (each) => EQUALITY_OPERATORS.includes(each.operator) || methodOf(each) === 'is'
  if (hasOwn(CONDITIONS, type)) return nodesOf(node[CONDITIONS[type]]).some(isEqual) ? nodesOf(node).filter(isTelling) : []
  const [only, ...others] = isFunctionNode(node) ? (node.body.body ?? []) : []
  return only !== undefined && others.length === 0 && node.params.length === 1 && isTelling(only) ? [only] : []
}

/** Whether a node throws an error with a text that the script computes, which can have a value that it expects. */
function isTelling({ type, argument }) {
  if (type !== 'ThrowStatement' || !hasOwn(argument, 'arguments')) return false
  return argument.arguments.flatMap(nodesOf).some((node) => node.type === 'Identifier')
}

/** The objects in an assertion of which it calls one field and reads another one, as `row.f(1)` and `row.expected`. */
function rowsOf(assertion) {
  const members = nodesOf(assertion).filter(({ type, object }) => type === 'MemberExpression' && isName(object))
  const calls = nodesOf(assertion).filter(({ type, callee }) => type === 'CallExpression' && members.includes(callee))
  const called = calls.map(({ callee }) => callee)
  const isRead = ({ callee: { object }, start, end }) =>
    members.some((each) => !called.includes(each) && nameOf(each.object) === nameOf(object) && !(start <= each.start && each.end <= end))
  return calls.filter(isRead).map(({ callee }) => callee.object)
}

function isName(node) {
  return node.type === 'Identifier' || node.type === 'ThisExpression'
}

function nameOf(node) {
  return node.name ?? 'this'
}

/** What a loop goes through: the list in `list.entries()`, `[...list]` and `Array.from(list)`, or the node itself. */
function sourceOf(node) {
  if (LISTS.includes(methodOf(node)) && node.arguments.length === 0) return sourceOf(node.callee.object)
  if (methodOf(node) === 'from' && node.arguments.length > 0) return sourceOf(node.arguments[0])
  const isSpread = node.type === 'ArrayExpression' && node.elements.length === 1 && node.elements[0]?.type === 'SpreadElement'
  return isSpread ? sourceOf(node.elements[0].argument) : node
}

/** Whether `?.` can end the chain of which a node is a part. */
function hasOptional(node) {
  for (let at = node; at !== undefined; at = at.object ?? at.callee) if (at.optional) return true
  return node.type === 'Super' || node.type === 'SpreadElement'
}

function addComparison(edits, node, bounds) {
  const call = [node.left, node.right].map((side) => bounds.get(side)).find((key) => key !== undefined)
  edits.replaceOperator(node)
  edits.wrap(node, `${HOOKS}.${SIZE_HOOKS[node.operator]}(`, call === undefined ? ')' : `,${stringify(call)})`)
}

/** Comparisons' sides → the call in them, if the script compares that call with a lower and with an upper bound. */
function boundsOf(text, nodes) {
  const calls = new Map()
  const directions = new Map()
  for (const node of nodes) {
    if (node.type !== 'BinaryExpression' || !hasOwn(SIZE_HOOKS, node.operator)) continue
    for (const side of [node.left, node.right]) {
      const call = nodesOf(side).find((each) => each.type === 'CallExpression' && methodOf(each) === undefined)
      if (call === undefined) continue
      const key = text.slice(call.start, call.end).replace(/\s+/g, ' ')
      calls.set(side, key)
      directions.set(key, (directions.get(key) ?? new Set()).add(node.operator.startsWith('<') === (side === node.left)))
    }
  }
  return new Map([...calls].filter(([, key]) => directions.get(key).size === 2))
}

/** Has a body report each turn. */
function addTurn(edits, body, call) {
  const isDirected = body.type === 'BlockStatement' && body.body[0]?.directive !== undefined
  if (isDirected) edits.wrap(body.body[0], '', `;${call};`)
  else if (body.type === 'BlockStatement') edits.insert(body.start + 1, `${call};`)
  else if (body.type.endsWith('Statement')) edits.wrap(body, `{${call};`, '}', true)
  else edits.wrap(body, `(${call},(`, '))', true)
}

/** Insertions into a text. */
class Edits {
  #text
  #wrapped = []
  #replaced = []

  constructor(text) {
    this.#text = text
  }

  /** Adds text to the beginning of a block. */
  insert(at, added) {
    this.#wrapped.push({ start: at, end: Infinity, before: added, after: '' })
  }

  /** @param isOuter whether this is around what else wraps the same node */
  wrap({ start, end }, before, after, isOuter = false) {
    const added = { start, end, before: before === '' ? '' : ` ${before}`, after }
    if (isOuter) this.#wrapped.unshift(added)
    else this.#wrapped.push(added)
  }

  /** Has a comma in place of an operator. */
  replaceOperator({ left, right, operator }) {
    const between = this.#text.slice(left.end, right.start).replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, (comment) => ' '.repeat(comment.length))
    const at = left.end + between.indexOf(operator)
    this.#replaced.push({ at, end: at + operator.length, added: ',' })
  }

  get text() {
    const outerFirst = this.#wrapped.toSorted((one, other) => one.start - other.start || other.end - one.end)
    const opened = outerFirst.map(({ start, before }) => ({ at: start, end: start, added: before }))
    const closed = outerFirst.toReversed().map(({ end, after }) => ({ at: end, end, added: after }))
    // At one place, what is closed comes first.
    const all = [...closed.filter(({ at }) => at < Infinity), ...this.#replaced, ...opened].sort((one, other) => one.at - other.at)
    let at = 0
    const parts = all.map((edit) => {
      const part = this.#text.slice(at, edit.at) + edit.added
      at = edit.end
      return part
    })
    return parts.join('') + this.#text.slice(at)
  }
}

// Node compiles a function at its first call: a judge that is preloaded compiles the parser before its script comes.
const SAMPLE = 'const f = (a) => { for (const each of [`${a}`, ...a]) if (f(each) > 1) throw new Error(a?.b) }; f({ a: [/b/] })'
instrument(SAMPLE, syntaxOf(SAMPLE))
