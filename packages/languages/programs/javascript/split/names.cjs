// The names that the code defines, in the script: what they stand for, and whether the script means them.
const { isBuiltin } = require('node:module')

/** Functions that are globals because the global object inherits them. */
const INHERITED = ['toString', 'toLocaleString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable']
/** Globals by which a script judges; the code's variables of these names do not count, unless the script means nothing else. */
const TRUSTED = new Set([...ownKeys(globalThis), ...INHERITED].filter((key) => typeof key === 'string'))
/** Modules whose functions are the same everywhere. */
const MODULES = ['assert', 'util', 'path', 'url', 'querystring', 'string_decoder', 'buffer', 'crypto']

/**
 * Defines the names that the code defines, as far as the script means the code's.
 *
 * @param uses how the script uses names
 * @param declared tells those of some names that the script declares itself
 */
function defineNames(names, uses, asker, given, declared) {
  defineMembers(names, asker, uses)
  const computed = names.filter((name) => name.startsWith(COMPUTED)).map((name) => name.slice(COMPUTED.length))
  const read = computed.find((name) => uses.isUsed(name) || uses.properties.has(name))
  if (read !== undefined) asker.unproven = `the code computes ${read} whenever it is read`
  const isOwn = (name) => (TRUSTED.has(name) && !isOwnClass(name, uses)) || hasOwn(given, name) || isAssertion(name)
  const all = names.filter((name) => uses.has(name))
  const own = declared(all)
  const used = all.filter((name) => !own.includes(name))
  const shadows = used.filter(isOwn)
  // Functions under test may have names of built-in ones. If the script has no other way to the code, it means those.
  const hasMembers = names.some((name) => name.includes('.') && uses.properties.has(name.split('.').at(-1).replace('=', '')))
  const hasExports = uses.isUsed('exports') || uses.properties.has('exports') || [...uses.texts].some((text) => /\/main\b/.test(text))
  const isMeant = shadows.length === used.length && !hasMembers && !hasExports
  // With one of them, the script could judge another one.
  const meant = shadows.filter((name) => isMeant && !hasOwn(given, name))
  if (meant.length > 1) asker.unproven = bothDefine(meant.join(' and '))
  const library = used.find((name) => uses.isFallback(name))
  if (library !== undefined) asker.unclear = `the script takes ${library} from the code, if it has that`
  for (const name of used) {
    const places = uses.of(name)
    const isProcess = name === 'process' && places.some((place) => uses.isCalled(place))
    if (name === 'assert' || (MODULES.includes(name) && isModule(name, uses))) {
      define(name, () => require(`node:${name}`))
      if (name !== 'assert' && !isDotted(name, uses)) asker.unclear = bothDefine(name)
    } else if (isProcess || !shadows.includes(name) || meant.includes(name) || isAnswer(name, uses)) defineRemote(name, asker, uses)
    else if (isAssertion(name)) {
      define(name, () => assert[name])
      if (places.every((place) => uses.isStatement(place) || uses.isArrow(place))) asker.doubt ??= bothDefine(name)
      else asker.unclear = bothDefine(name)
    }
    else if (places.length > 0 && !hasOwn(given, name) && !KEPT.includes(name)) asker.unclear = bothDefine(name)
  }
  const { require: load } = given
  const exported = () => {
    // What is exported has a name, too.
    const exports = asker.readName('module.exports')
    addNamed(exports, asker)
    const keys = isObject(exports) ? ownKeys(exports) : []
    for (const key of keys) addNamed(getOwnPropertyDescriptor(exports, key).value, asker, uses.has(key) ? key : undefined)
    return exports
  }
  const module = { ...given.module, get exports() { return exported() } }
  const isCode = (id) => /^(?:\.|\/workspace)\/main(?:\.[jt]s)?$/.test(id)
  const loaded = (id) => {
    const isOwn = typeof id === 'string' && uses.texts.has(id) && (isBuiltin(id) || id.endsWith('.json') || !/^[./]/.test(id))
    if (!isOwn) asker.unverified('the script loads a module by a name that the code may have given')
    const module = load(id)
    if (REACHING.has(String(id).replace(/^node:/, ''))) asker.hide(module)
    return module
  }
  if (uses.properties.has('promises') || [...uses.texts].some((text) => text.includes('promises'))) asker.hide(fs.promises)
  const ownRequire = Object.assign((id) => (isCode(id) ? exported() : loaded(id)), load)
  for (const each of [ownRequire, load]) asker.opaqueThings.add(each)
  // As if code and script were one file, which runs by itself.
  ownRequire.main = module
  defineModule({ ...given, module, require: ownRequire })
  asker.exported = exported
  defineProperty(globalThis, 'exports', { get: exported, set: (value) => define('exports', () => value), configurable: true })
}

/** Properties that mean something to Node on any object. */
const UNSAFE = 'then toJSON get set value done next return throw enumerable configurable writable message stack cause code errors'.split(' ')

/** Defines what the code has added to built-in types, as far as the script uses it. What it has replaced, it replaced there only. */
function defineMembers(names, asker, uses) {
  const members = names.map((name) => /^(\w+(?:\.prototype)?)\.([^.=]+)(=?)$/.exec(name)).filter(Boolean)
  const isListed = uses.nodes.some(({ type }) => type === 'ForInStatement')
  const seen = members.find(([, , key]) => isListed || uses.texts.has(key))
  if (seen !== undefined) asker.unproven ??= `the script may see that the code defines ${seen[0]}`
  for (const [name, type, key, isReplaced] of members.filter((member) => uses.properties.has(member[2]))) {
    const owner = BUILT_IN_OWNERS.get(type)
    const isFree = owner !== undefined && owner !== Object.prototype && !(key in owner) && !UNSAFE.includes(key)
    if (!isFree || isReplaced) {
      asker.doubt ??= `only the code has its own ${name.replace('=', '')}`
      if (isReplaced) asker.unproven ??= asker.doubt
      continue
    }
    const value = asker.readName(name)
    if (!isThing(value) && type.endsWith('.prototype')) asker.unproven ??= `the code gives ${name} a value, which is no method`
    if (uses.isTested(key)) asker.unclear = `the script takes ${key} from the code, if it has that`
    addNamed(value, asker, isThing(value) ? key : undefined)
    defineProperty(owner, key, { value, writable: true, configurable: true, enumerable: false })
  }
}

/** Modules that reach beyond values: to files, processes, the network and the engine. */
const REACHING = new Set(
  'fs fs/promises test child_process vm module worker_threads v8 inspector inspector/promises net tls dgram http https http2 cluster repl os dns dns/promises wasi sqlite'.split(' '),
)
/** Names that code may define, and that no script means as the code's. */
const KEPT = ['console', 'process']

/** Classes of Node whose names programs give to classes of their own. */
const COMMON_CLASSES = new Set(
  'Request Response Headers Event EventTarget CustomEvent MessageEvent File Blob MessageChannel Performance Navigator Storage'.split(' '),
)

const bothDefine = (name) => `both the code and Node define ${name}`

/** Whether a script uses a member of a class that Node's class of that name does not have. */
function isOwnClass(name, uses) {
  if (!COMMON_CLASSES.has(name)) return false
  const known = globalThis[name]
  const made = uses.of(name).map((place) => uses.around(place)).filter(({ type, callee }) => type === 'NewExpression' && callee.name === name)
  const variables = made.map((node) => uses.around(node)).filter(({ type }) => type === 'VariableDeclarator').map(({ id }) => id.name)
  const places = [...made, ...[name, ...variables].flatMap((each) => uses.of(each))]
  const members = places.map((place) => uses.memberOf(place)).filter((member) => member !== undefined)
  return members.some((member) => !(member in known || member in (known.prototype ?? known)))
}

/** Whether all that a script uses of a name are properties. */
function isDotted(name, uses) {
  return uses.of(name).every((place) => uses.memberOf(place) !== undefined)
}

/** Whether a name stands for a module of Node in a script: it takes what that module has. */
function isModule(name, uses) {
  const places = uses.of(name)
  const module = require(`node:${name}`)
  const taken = places.map((place) => uses.memberOf(place)).filter((key) => key !== undefined)
  if (taken.some((key) => !(key in module))) return false
  if (isDotted(name, uses) || taken.some((key) => hasOwn(module, key))) return true
  return places.some((place) => uses.takenOf(place).length > 0 || (uses.around(place).computed && uses.around(place).object === place))
}

/** Whether a name is that of an assertion, with which a script may judge. */
function isAssertion(name) {
  return hasOwn(assert, name) && typeof assert[name] === 'function' && name !== 'strict' && !TRUSTED.has(name)
}

/** Whether a function has the name of an assertion, but the script uses what it returns: no assertion returns anything. */
function isAnswer(name, uses) {
  return isAssertion(name) && !uses.of(name).some((place) => uses.isStatement(place))
}

function define(name, get) {
  defineProperty(globalThis, name, { get, set: (value) => replace(name, value), configurable: true, enumerable: true })
}

function replace(name, value) {
  defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true })
}

function defineRemote(name, asker, uses) {
  let isAssigned = false
  const get = () => {
    const value = asker.readName(name)
    if (isAssigned) asker.unproven ??= `the script reads ${name} again, which the code can change`
    if (KNOWN_NAMES.has(value)) asker.unproven ??= `the code gives ${KNOWN_NAMES.get(value)} another name`
    addNamed(value, asker, name)
    checkAlike(name, value, uses, asker)
    // Asked once: the code hardly ever changes its functions.
    if (typeof value === 'function') define(name, () => value)
    return value
  }
  const set = (value) => {
    isAssigned = true
    asker.assignName(name, value)
  }
  defineProperty(globalThis, name, { get, set, configurable: true, enumerable: true })
}

/** Takes note of what a name of the code stands for. */
function addNamed(value, asker, name) {
  if (typeof value === 'function') {
    const other = asker.functions.get(value)
    // Functions may well have two names, but the script tells the classes of objects by theirs.
    if (isOfClass(name) && isOfClass(other) && name !== other) asker.unproven ??= `${other} and ${name} are the same`
    const prototype = propertyOf(value, 'prototype')
    const twin = [...asker.functions].find(([each]) => each !== value && isObject(prototype) && propertyOf(each, 'prototype') === prototype)
    if (twin !== undefined && isOfClass(name) && isOfClass(twin[1])) asker.unproven ??= `${twin[1]} and ${name} have one prototype`
    asker.functions.set(value, name ?? other)
  }
  if (typeof value === 'function' || (typeof value === 'object' && value !== null)) asker.named.add(value)
}

/** Whether a name is one of a class or of constants. */
function isOfClass(name) {
  return name !== undefined && /^\p{Lu}/u.test(name)
}

/** The members of an enumeration must differ, or any of them is the one that the script expects; so must constants. */
function checkAlike(name, value, uses, asker) {
  if (isConstant(name) && !isThing(value)) checkConstant(name, value, uses, asker)
  if (!isThing(value) || isProxy(value) || !(isOfClass(name) || isEnumeration(value))) return
  const compared = uses.of(name).filter((place) => uses.memberOf(place) !== undefined && !uses.isUsedWithLiteral(uses.around(place)))
  const keys = [...compared.map((place) => uses.memberOf(place)), ...uses.of(name).flatMap((place) => uses.takenOf(place))]
  const members = new Map()
  for (const key of new Set(keys.filter((key) => key !== undefined && (!isOfClass(name) || isOfClass(key))))) {
    if ((isConstant(key) || isOfClass(key)) && accessorOf(value, key) !== undefined) asker.unproven ??= `the code computes ${name}.${key} whenever it is read`
    const member = propertyOf(value, key)
    // Functions are told apart if they are classes, such as those of errors.
    if (member === undefined || (typeof member === 'function' && !isOfClass(key))) continue
    if (members.has(member)) asker.unproven ??= `${name}.${members.get(member)} and ${name}.${key} are the same`
    members.set(member, key)
  }
}

function checkConstant(name, value, uses, asker) {
  const isCompared = uses.of(name).some((place) => !uses.isUsedWithLiteral(place))
  const other = asker.constants.get(value)
  if (isCompared && other !== undefined && other !== name) asker.unproven ??= `${other} and ${name} are the same`
  if (isCompared) asker.constants.set(value, name)
}

/** Whether a name is one of a constant. */
function isConstant(name) {
  return /^\p{Lu}[\p{Lu}\d_]*$/u.test(name)
}

/** Whether an object has nothing but values of one type, or classes. */
function isEnumeration(value) {
  const types = new Set(isObject(value) && !Array.isArray(value) ? fieldsOf(value).map((each) => typeof each) : [])
  return types.size === 1 && !types.has('object')
}
