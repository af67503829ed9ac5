// Has a script report what it compares by size, and which of its loops run.
/** The global object with the functions that an instrumented script calls. */
const HOOKS = 'isopod$'
const ERROR = 'isopod$error'
const SIZE_HOOKS = { '<': 'less', '>': 'more', '<=': 'notMore', '>=': 'notLess' }
/** Methods that call a function for each item. */
const LOOPS = 'forEach map filter every some find findIndex findLast findLastIndex flatMap reduce reduceRight'.split(' ')
/** Those of them that call it for all items. */
const EACH = ['forEach', 'map']
const LISTS = ['entries', 'keys', 'values']

/**
 * The text of a script with calls of hooks. Lines stay the same.
 *
 * - `a < b` becomes `isopod$.less(a, b)`, with a third argument if one of them is a literal.
 * - A function that judges what it is given reports what it throws.
 * - What a loop goes through reports itself, if the loop has an assertion or comparison in it, and so does each turn.
 * - In functions `this` becomes `isopod$.self(this)`, unless all of the text is strict; outside of functions and classes, `isopod$.top()`.
 */
function instrument(text, tree, isStrict = false) {
  const edits = new Edits(text)
  const nodes = nodesOf(tree)
  const functions = new Map(nodes.flatMap((node) => namedFunction(node)))
  let sites = 0
  const watch = (list, body, hook) => {
    const source = sourceOf(list)
    if (hasOptional(source) || !judges(body)) return
    edits.wrap(source, `${HOOKS}.${source === list ? hook : 'over'}(${sites},(`, '))')
    addTurn(edits, body, `${HOOKS}.ran(${sites++})`)
  }
  // Without an object, a method of an object literal would set what it inherits in the global object.
  for (const { value } of isStrict ? [] : nodes.filter(({ type, value }) => type === 'Property' && isFunctionNode(value))) {
    if (usesSuper(value)) edits.insert(value.body.start + 1, `${HOOKS}.self(this)[0];`)
  }
  for (const each of judgingFunctions(nodes)) addThrown(edits, each)
  const isThis = ({ type }) => type === 'ThisExpression'
  const inside = new Set(nodes.filter(hasThis).flatMap((node) => nodesOf(node)).filter(isThis))
  for (const node of nodes.filter(isThis)) {
    if (!inside.has(node)) edits.replace(node, `${HOOKS}.top()`)
    else if (!isStrict) edits.wrap(node, `${HOOKS}.self(`, ')')
  }
  const rows = new Set(nodes.filter(isAssertionNode).flatMap((node) => rowsOf(node)))
  for (const node of nodes) {
    if (rows.has(node)) edits.wrap(node, `${HOOKS}.row(`, ')')
    if (node.type === 'BinaryExpression' && hasOwn(SIZE_HOOKS, node.operator)) addComparison(edits, node)
    if (node.type === 'ForOfStatement') watch(node.right, node.body, 'over')
    if (!LOOPS.includes(methodOf(node)) || node.callee.object.type === 'Super') continue
    const each = node.arguments[0]
    const called = isFunctionNode(each) ? each : functions.get(each?.name)
    if (called !== undefined) watch(node.callee.object, called.body, EACH.includes(methodOf(node)) ? 'each' : 'over')
  }
  return edits.text
}

/** Whether a method that is not strict uses what its object inherits, by `super`. */
function usesSuper({ type, body }) {
  if (type !== 'FunctionExpression' || body.body[0]?.directive !== undefined) return false
  const inner = new Set(nodesOf(body).filter(hasThis).flatMap((node) => nodesOf(node)))
  return nodesOf(body).some((node) => node.object?.type === 'Super' && !inner.has(node))
}

/** Whether a node gives `this` in it a meaning of its own. */
function hasThis({ type }) {
  return type === 'FunctionExpression' || type === 'FunctionDeclaration' || type === 'ClassBody'
}

/** The name and the function, where a node gives a function a name. */
function namedFunction(node) {
  if (node.type === 'FunctionDeclaration' && node.id !== null) return [[node.id.name, node]]
  if (node.type === 'MethodDefinition' && node.key.type === 'Identifier') return [[node.key.name, node.value]]
  return node.type === 'VariableDeclarator' && isFunctionNode(node.init) ? [[node.id.name, node.init]] : []
}

/**
 * The functions of a script that judge what they are given: they have an assertion, call a function that throws on a condition,
 * or compare a parameter.
 */
function judgingFunctions(nodes) {
  const all = nodes.filter(isFunctionNode)
  const checking = new Set(nodes.flatMap(namedFunction).filter(([, each]) => throwsOnCondition(each) || isFailure(each)).map(([name]) => name))
  const isCheck = (node) => node.type === 'CallExpression' && checking.has(node.callee.name ?? methodOf(node))
  const isAssertion = (node) => node.type === 'CallExpression' && (isAssertionNode(node) || isCheck(node))
  return all.filter(({ body, params }) => {
    const given = new Set(params.flatMap(nodesOf).map(({ name }) => name))
    return nodesOf(body).some((node) => isAssertion(node) || tellsDifference(node) || rethrows(node)) || decidesBy(body, given)
  })
}

/** Whether a node throws another error in place of one that it has caught. */
function rethrows({ type, body }) {
  return type === 'CatchClause' && nodesOf(body).some(isTelling)
}

function throwsOnCondition({ body }) {
  const conditions = nodesOf(body).filter(({ type }) => hasOwn(CONDITIONS, type))
  return conditions.some((node) => nodesOf(node).some(({ type }) => type === 'ThrowStatement'))
}

/** Whether all that a function does is to throw an error with the text that it gets. */
function isFailure({ params, body: { body } }) {
  return body?.length === 1 && params.length === 1 && isTelling(body[0])
}

/** Whether a node throws an error with a computed text if two values are equal, or if they are not. */
function tellsDifference(node) {
  const isEqual = (each) => EQUALITY_OPERATORS.includes(each.operator) || methodOf(each) === 'is'
  return hasOwn(CONDITIONS, node.type) && nodesOf(node[CONDITIONS[node.type]]).some(isEqual) && nodesOf(node).some(isTelling)
}

/** Whether a node throws an error with a text that the script computes, which can have a value that it expects. */
function isTelling({ type, argument }) {
  if (type !== 'ThrowStatement' || !hasOwn(argument, 'arguments')) return false
  return argument.arguments.flatMap(nodesOf).some((node) => node.type === 'Identifier')
}

/** Has a function report what it throws. */
function addThrown(edits, { body, async: isAsync }) {
  if (body.type !== 'BlockStatement') {
    if (!isAsync) edits.wrap(body, `${HOOKS}.reporting(() => (`, '))', true)
    return
  }
  if (body.body.length === 0) return
  const isDirected = body.body[0].directive !== undefined
  edits.surround(isDirected ? body.body[0].end : body.start + 1, body.end - 1, ';try{', `}catch(${ERROR}){throw ${HOOKS}.thrown(${ERROR}${isAsync ? ',true' : ''})}`)
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

/** What a loop goes through: the list in `list.entries()`, `Object.entries(list)`, `[...list]` and `Array.from(list)`, or the node itself. */
function sourceOf(node) {
  if (LISTS.includes(methodOf(node)) && node.arguments.length === 0) return sourceOf(node.callee.object)
  if (['from', ...LISTS].includes(methodOf(node)) && node.arguments.length > 0) return sourceOf(node.arguments[0])
  const isSpread = node.type === 'ArrayExpression' && node.elements.length === 1 && node.elements[0]?.type === 'SpreadElement'
  return isSpread ? sourceOf(node.elements[0].argument) : node
}

/** Whether `?.` can end the chain of which a node is a part. */
function hasOptional(node) {
  for (let at = node; at !== undefined; at = at.object ?? at.callee) if (at.optional) return true
  return node.type === 'Super' || node.type === 'SpreadElement'
}

function addComparison(edits, node) {
  const isBound = [node.left, node.right].some(isLiteral)
  edits.replaceOperator(node)
  edits.wrap(node, `${HOOKS}.${SIZE_HOOKS[node.operator]}(`, isBound ? ',true)' : ')')
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

  /** Adds text at two places. */
  surround(start, end, before, after) {
    this.#wrapped.push({ start, end, before, after })
  }

  /** Has another text in place of a node. */
  replace({ start, end }, added) {
    this.#replaced.push({ at: start, end, added })
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
