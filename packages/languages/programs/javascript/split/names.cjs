// The names that the code defines, in the script: what they stand for, and whether the script means them.
/**
 * Defines the names that the code defines, as far as the script means the code's.
 *
 * @param declared tells those of some names that the script declares itself
 * @param isOwnClass whether the script can only mean the code's class by a name of one of Node's
 */
function defineNames(names, script, asker, given, declared, isOwnClass) {
  defineMembers(names, asker, script)
  const computed = names.find((name) => name.startsWith(COMPUTED) && isUsedOrTaken(name.slice(COMPUTED.length), script))
  if (computed !== undefined) asker.unproven = `the code computes ${computed.slice(COMPUTED.length)} whenever it is read`
  const words = new Set(script.match(/(?<![\p{ID_Continue}$])[\p{ID_Start}$_][\p{ID_Continue}$]*/gu))
  const isOwn = (name) => (TRUSTED.has(name) && !isOwnClass(name)) || hasOwn(given, name) || isAssertion(name)
  const all = names.filter((name) => words.has(name))
  const own = declared(all)
  const used = all.filter((name) => !own.includes(name))
  const shadows = used.filter(isOwn)
  // Functions under test may have names of built-in ones. If the script has no other way to the code, it means those.
  const hasMembers = names.some((name) => name.includes('.') && isProperty(name.split('.').at(-1).replace('=', ''), script))
  const isMeant = shadows.length === used.length && !hasMembers && !/\bexports\b|\/main\b/.test(script)
  // With one of them, the script could judge another one.
  const meant = shadows.filter((name) => isMeant && !hasOwn(given, name))
  if (meant.length > 1) asker.unproven = bothDefine(meant.join(' and '))
  const library = used.find((name) => isFallback(name, script))
  if (library !== undefined) asker.unclear = `the script takes ${library} from the code, if it has that`
  for (const name of used) {
    if (name === 'assert' || (MODULES.includes(name) && isModule(name, script))) {
      define(name, () => require(`node:${name}`))
      if (name !== 'assert' && !isDotted(name, script)) asker.unclear = bothDefine(name)
    } else if ((name === 'process' && isCalled(name, script)) || !shadows.includes(name) || meant.includes(name) || isAnswer(name, script)) defineRemote(name, asker, script)
    else if (isAssertion(name)) {
      define(name, () => assert[name])
      if (usesOf(name, script).every((use) => isStatement(use) || use.sign === '>')) asker.doubt ??= bothDefine(name)
      else asker.unclear = bothDefine(name)
    }
    else if (isUsed(name, script) && !hasOwn(given, name) && !KEPT.includes(name)) asker.unclear = bothDefine(name)
  }
  const { require: load } = given
  const exported = () => {
    // What is exported has a name, too.
    const exports = asker.readName('module.exports')
    addNamed(exports, asker)
    const keys = isObject(exports) ? ownKeys(exports) : []
    for (const key of keys) addNamed(getOwnPropertyDescriptor(exports, key).value, asker, words.has(key) ? key : undefined)
    return exports
  }
  const module = { ...given.module, get exports() { return exported() } }
  const isCode = (id) => /^(?:\.|\/workspace)\/main(?:\.[jt]s)?$/.test(id)
  const loaded = (id) => {
    const module = load(id)
    if (REACHING.has(String(id).replace(/^node:/, ''))) asker.hide(module)
    return module
  }
  if (script.includes('promises')) asker.hide(fs.promises)
  const ownRequire = Object.assign((id) => (isCode(id) ? exported() : loaded(id)), load)
  defineModule({ ...given, __filename: given.__filename.replace('main', 'script'), module, require: ownRequire })
  defineProperty(globalThis, 'exports', { get: exported, set: (value) => define('exports', () => value), configurable: true })
}

/** What follows a member that is called, looked into, or compared with a literal. */
const LITERAL_USE = `(?:[(.]|(?:[=!]==?|,)\\s*['"\`\\d-])`
/** Properties that mean something to Node on any object. */
const UNSAFE = 'then toJSON get set value done next return throw enumerable configurable writable message stack cause code errors'.split(' ')

/** Defines what the code has added to built-in types, as far as the script uses it. What it has replaced, it replaced there only. */
function defineMembers(names, asker, script) {
  const members = names.map((name) => /^(\w+(?:\.prototype)?)\.([^.=]+)(=?)$/.exec(name)).filter(Boolean)
  for (const [name, type, key, isReplaced] of members.filter((member) => isProperty(member[2], script))) {
    const owner = BUILT_IN_OWNERS.get(type)
    const isFree = owner !== undefined && owner !== Object.prototype && !(key in owner) && !UNSAFE.includes(key)
    if (!isFree || isReplaced) {
      asker.doubt ??= `only the code has its own ${name.replace('=', '')}`
      if (isReplaced) asker.unproven ??= asker.doubt
      continue
    }
    const value = asker.readName(name)
    if (!isThing(value) && type.endsWith('.prototype')) asker.unproven ??= `the code gives ${name} a value, which is no method`
    if (isTested(key, script)) asker.unclear = `the script takes ${key} from the code, if it has that`
    addNamed(value, asker, isThing(value) ? key : undefined)
    defineProperty(owner, key, { value, writable: true, configurable: true, enumerable: false })
  }
}

/** Modules that reach beyond values: to files, processes, the network and the engine. */
const REACHING = new Set(
  'fs fs/promises child_process vm module worker_threads v8 inspector net tls dgram http https http2 cluster repl os dns wasi sqlite'.split(' '),
)
/** Names that code may define, and that no script means as the code's. */
const KEPT = ['console', 'process']

/** Classes of Node whose names programs give to classes of their own. */
const COMMON_CLASSES = new Set(
  'Request Response Headers Event EventTarget CustomEvent MessageEvent File Blob MessageChannel Performance Navigator Storage'.split(' '),
)

const bothDefine = (name) => `both the code and Node define ${name}`

/** Whether a script uses a member of a class that Node's class of that name does not have. */
function isOwnClass(name, nodes) {
  if (!COMMON_CLASSES.has(name)) return false
  const isMade = (node) => node?.type === 'NewExpression' && node.callee.name === name
  const made = new Set(nodes.filter(({ type, init }) => type === 'VariableDeclarator' && isMade(init)).map(({ id }) => id.name))
  const isOfClass = (node) => isMade(node) || (node.type === 'Identifier' && (node.name === name || made.has(node.name)))
  const members = nodes.filter(({ type, computed, object }) => type === 'MemberExpression' && !computed && isOfClass(object))
  const known = globalThis[name]
  return members.some(({ property }) => !(property.name in known || property.name in (known.prototype ?? known)))
}

/** Whether a script uses a name, other than as a property. */
function isUsed(name, script) {
  return RegExp(`(?<![\\w$.])${name}\\b(?!\\s*:)`).test(script)
}

function isUsedOrTaken(name, script) {
  return isUsed(name, script) || isProperty(name, script)
}

function isProperty(name, script) {
  return RegExp(`\\.${name.replaceAll(/[^\w]/g, '\\$&')}\\b`).test(script)
}

function isCalled(name, script) {
  return RegExp(`(?<![\\w$.])${name}\\s*\\(`).test(script)
}

/** Whether all that a script uses of a name are properties. */
function isDotted(name, script) {
  return !RegExp(`(?<![\\w$.])${name}\\b(?!\\s*\\.)`).test(script)
}

/** Whether a name stands for a module of Node in a script: it takes what that module has. */
function isModule(name, script) {
  const taken = [...script.matchAll(RegExp(`(?<![\\w$.])${name}\\s*\\.\\s*(\\w+)`, 'g'))].map(([, key]) => key)
  const module = require(`node:${name}`)
  if (taken.some((key) => !(key in module))) return false
  if (isDotted(name, script) || taken.some((key) => hasOwn(module, key))) return true
  return RegExp(`\\}\\s*=\\s*${name}\\b|(?<![\\w$.])${name}\\s*\\[`).test(script)
}

/** Whether a name is that of an assertion, with which a script may judge. */
function isAssertion(name) {
  return hasOwn(assert, name) && typeof assert[name] === 'function' && name !== 'strict' && !TRUSTED.has(name)
}

/** Whether a function has the name of an assertion, but the script uses what it returns: no assertion returns anything. */
function isAnswer(name, script) {
  return isAssertion(name) && !usesOf(name, script).some(isStatement)
}

/** The uses of a name, each with the sign before it, and whether it is a call. */
function usesOf(name, script) {
  const uses = script.matchAll(RegExp(`(\\S?)\\s*(?<![\\w$.])${name}\\b(?!\\s*:)(\\s*\\()?`, 'g'))
  return [...uses].map(([, sign, call]) => ({ sign, isCall: call !== undefined }))
}

/** Whether a use of a name is a statement of its own. */
function isStatement({ sign, isCall }) {
  return isCall && (sign === '' || /[;{})\w]/.test(sign))
}

function define(name, get) {
  defineProperty(globalThis, name, { get, set: (value) => replace(name, value), configurable: true, enumerable: true })
}

function replace(name, value) {
  defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true })
}

function defineRemote(name, asker, script) {
  let isAssigned = false
  const get = () => {
    const value = asker.readName(name)
    if (isAssigned) asker.unproven ??= `the script reads ${name} again, which the code can change`
    if (KNOWN_NAMES.has(value)) asker.unproven ??= `the code gives ${KNOWN_NAMES.get(value)} another name`
    addNamed(value, asker, name)
    checkAlike(name, value, script, asker)
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
function checkAlike(name, value, script, asker) {
  if (isConstant(name) && !isThing(value)) checkConstant(name, value, script, asker)
  if (!isThing(value) || isProxy(value) || !(isOfClass(name) || isEnumeration(value))) return
  // Members that are called, looked into, or compared with a literal do not count.
  const initial = isOfClass(name) ? '\\p{Lu}' : '[\\p{L}_$]'
  const pattern = `(?<![\\w$.])${name}\\.(${initial}[\\w$]*)(?![\\w$])`
  const uses = [...script.matchAll(RegExp(`${pattern}(?!\\s*${LITERAL_USE})`, 'gu'))].map((use) => use[1])
  const taken = RegExp(`\\{([\\w$\\s,]+)\\}\\s*=\\s*${name}\\b(?!\\s*[.([])`).exec(script)?.[1].split(/[\s,]+/) ?? []
  const members = new Map()
  for (const key of new Set([...uses, ...taken].filter(Boolean))) {
    if ((isConstant(key) || isOfClass(key)) && accessorOf(value, key) !== undefined) asker.unproven ??= `the code computes ${name}.${key} whenever it is read`
    const member = propertyOf(value, key)
    // Functions are told apart if they are classes, such as those of errors.
    if (member === undefined || (typeof member === 'function' && !isOfClass(key))) continue
    if (members.has(member)) asker.unproven ??= `${name}.${members.get(member)} and ${name}.${key} are the same`
    members.set(member, key)
  }
}

function checkConstant(name, value, script, asker) {
  const isCompared = RegExp(`(?<![\\w$.])${name}\\b(?!\\s*${LITERAL_USE})`).test(script)
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

/** Whether a script looks whether there is a property, to take something else in its place. */
function isTested(key, script) {
  return RegExp(`!\\s*[\\w.]+\\.${key}\\b(?!\\s*\\()|\\.${key}\\s*(?:\\?\\?|\\|\\|)|['"\`]${key}['"\`]\\s+in\\b|typeof\\s+[\\w.]+\\.${key}\\b`).test(script)
}

/** Whether a script takes something else in place of a name that is not defined. */
function isFallback(name, script) {
  const own = name.replaceAll('$', '\\$')
  if (RegExp(`(?<![\\w$])${own}\\s*(?:\\?\\?|\\|\\|)=?\\s*(?:\\(?[\\w\\s,]*\\)?\\s*=>|\\(\\(|function\\b)`).test(script)) return true
  if (RegExp(`\\btypeof\\s+${own}\\b`).test(script) && RegExp(`(?<![\\w$])${own}\\s*=(?![=>])`).test(script)) return true
  const use = `(?:\\btypeof\\s+|\\bglobal(?:This)?\\??\\.)${name.replaceAll('$', '\\$')}(?![\\w$])`
  return RegExp(`${use}(?:[^;\\n]|\\n\\s*[?:|])*\\brequire\\(\\s*['"](?![./])`).test(script)
}
