// The syntax of a script, as its parser reads it.
const { acorn } = globalThis
deleteProperty(globalThis, 'acorn')

/** The operators that compare two values by size. */
const SIZE_OPERATORS = ['<', '>', '<=', '>=']
const EQUALITY_OPERATORS = ['==', '!=', '===', '!==']
const COMPARISON_OPERATORS = [...SIZE_OPERATORS, ...EQUALITY_OPERATORS]
/** Nodes that decide what is done → their conditions. */
const CONDITIONS = { IfStatement: 'test', ConditionalExpression: 'test', LogicalExpression: 'left' }

/** The syntax tree of a program; undefined if its syntax is newer than the parser. Executes nothing. */
function syntaxOf(text) {
  try {
    return acorn.parse(text, { ecmaVersion: 'latest', allowHashBang: true })
  } catch {
    return undefined
  }
}

/** The nodes of a tree, each before its parts, in the order of the text. */
function nodesOf(root) {
  const found = []
  const waiting = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    found.push(node)
    waiting.push(...partsOfNode(node).toReversed())
  }
  return found
}

/** The nodes that are directly in a node, in the order of the text. */
function partsOfNode(node) {
  return Object.values(node).flat().filter((part) => typeof part?.type === 'string')
}

function isFunctionNode(node) {
  return ['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'].includes(node?.type)
}

/** The name of the method that a node calls, as `map` in `list.map(double)`; undefined if it calls no method by name. */
function methodOf(node) {
  const isMethod = node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && !node.callee.computed
  return isMethod ? node.callee.property.name : undefined
}

/** Whether a node can fail the script, if its condition or argument is wrong. */
function isAssertionNode(node) {
  if (node.type === 'IfStatement') return nodesOf(node).some((each) => each.type === 'ThrowStatement')
  if (node.type !== 'CallExpression' || methodOf(node) === 'fail') return false
  const path = []
  for (let at = node.callee; at !== undefined; at = at.object ?? at.callee) path.push(at.name ?? at.property?.name)
  return path.some((name) => /^(?:assert|expect|should)/.test(name ?? ''))
}

/** Whether a node has a comparison, or a condition on which it throws, that uses a name in a set or `this`, but for `attempt < 3`. */
function decidesBy(root, names) {
  const isName = ({ type, name }) => type === 'ThisExpression' || (type === 'Identifier' && names.has(name))
  const isCount = ({ operator, left, right }) => SIZE_OPERATORS.includes(operator) && isName(left) && isLiteral(right)
  const usesNames = (node) => nodesOf(node).filter(isName).length > nodesOf(node).filter(isCount).length
  return nodesOf(root).some((node) => {
    if (COMPARISON_OPERATORS.includes(node.operator)) return usesNames(node)
    const condition = hasOwn(CONDITIONS, node.type) ? node[CONDITIONS[node.type]] : undefined
    return condition !== undefined && usesNames(condition) && nodesOf(node).some(({ type }) => type === 'ThrowStatement')
  })
}

/** Whether a node puts what is computed into a property, as `state.error = text` or `state.failed++`. */
function isKeeping(node) {
  const kept = node.type === 'AssignmentExpression' ? node.left : node.type === 'UpdateExpression' ? node.argument : undefined
  if (kept?.type !== 'MemberExpression') return false
  return node.type === 'UpdateExpression' || node.operator !== '=' || nodesOf(node.right).some((each) => each.type === 'Identifier' || each.type === 'CallExpression')
}

/** Whether a node can judge something: whether it has a comparison or a call in it, which can be one of an assertion. */
function judges(root) {
  const isComparison = (node) => COMPARISON_OPERATORS.includes(node.operator)
  const isSilent = (node) => node.callee.object?.name === 'console' || (node.callee.property ?? node.callee).name === 'fail'
  return nodesOf(root).some((node) => isComparison(node) || isAssertionNode(node) || (node.type === 'CallExpression' && !isSilent(node)))
}

/** The texts and numbers that a script compares, itself or by a function: alone or in arrays and objects. */
function literalsIn(nodes) {
  const isComparison = ({ type, operator }) => type === 'BinaryExpression' && COMPARISON_OPERATORS.includes(operator)
  const canCompare = (node) => node.type === 'CallExpression' && (node.arguments.length > 1 || isAssertionNode(node))
  const given = nodes.filter(canCompare).flatMap((node) => node.arguments)
  const waiting = [...given, ...nodes.filter(isComparison).flatMap(({ left, right }) => [left, right])]
  const found = new Set()
  for (const node of waiting) {
    if (node?.type === 'Literal') found.add(node.value)
    if (node?.type === 'UnaryExpression' && node.operator === '-') found.add(-node.argument.value)
    if (node?.type === 'ArrayExpression') waiting.push(...node.elements)
    if (node?.type === 'ObjectExpression') waiting.push(...node.properties.map(({ value }) => value))
  }
  return found
}
