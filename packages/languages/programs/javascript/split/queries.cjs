// Methods by which an object of the code would judge itself, or say what the script expects.
/** Methods of built-in types by which an object would judge itself. */
const QUERIES = [
  ...'every some includes indexOf lastIndexOf startsWith endsWith find findIndex findLast findLastIndex filter'.split(' '),
  ...'localeCompare hasOwnProperty propertyIsEnumerable isPrototypeOf isSubsetOf isSupersetOf isDisjointFrom'.split(' '),
]
/** Those that return what a function chooses, and not whether there is any. */
const FINDERS = ['find', 'findLast', 'filter']
/** More of them, which are common names of other methods as well. */
const BUILT_IN_QUERIES = [...QUERIES, 'has', 'test', 'exec', 'equals']
/** Queries of texts if they get a pattern, and of bytes if they get bytes. */
const TEXT_QUERIES = ['match', 'matchAll', 'search']
const BYTES_QUERIES = ['compare', 'equals']
/** Methods of built-in types that code may have of its own: they change an object, or tell a value. */
const OVERRIDABLE = new Set(['constructor', 'toJSON', 'toLocaleString', ...CONVERSIONS])
for (const name of 'get set add delete clear push pop shift unshift'.split(' ')) OVERRIDABLE.add(name)
/** Types → their methods that an object of the code must not have of its own. */
const METHODS = new Map([...PROTOTYPES.keys()].map((type) => [type, methodsOf(type)]))
/** Kinds of objects whose methods a script takes for those of the built-in type. */
const BUILT_IN_KINDS = { array: 'Array', map: 'Map', set: 'Set', date: 'Date', regexp: 'RegExp', boxed: 'String' }
/** Methods by which an operation of a text asks any object. */
const PATTERNS = [Symbol.match, Symbol.matchAll, Symbol.replace, Symbol.search, Symbol.split]
/** Methods of built-in types that get what a script expects, and could return just that. */
const ECHOES = ['union', 'concat', 'replace', 'replaceAll', 'intersection', 'difference', 'symmetricDifference']
/** Methods by which an operation of Node, or a script, has an object tell or do something. */
const ASKED = new Set([
  ...[...BUILT_IN_QUERIES, ...TEXT_QUERIES, ...BYTES_QUERIES, ...ECHOES, ...PATTERNS, Symbol.hasInstance],
  ...'then catch finally get toJSON'.split(' '),
])

/** Whether a script takes a method of that name for one of a built-in type. */
function isAsked(key) {
  return ASKED.has(key) || (METHODS.get('Array').includes(key) && key !== 'length' && !OVERRIDABLE.has(key))
}

/** The methods of a built-in type, but those that code may have of its own. */
function methodsOf(type) {
  const names = []
  let at = PROTOTYPES.get(type)
  for (; at !== null && at !== Object.prototype; at = getPrototypeOf(at)) names.push(...ownKeys(at))
  return names.filter((name) => !OVERRIDABLE.has(name))
}

class Queries {
  #judge
  #proofs

  constructor(judge, proofs) {
    this.#judge = judge
    this.#proofs = proofs
  }

  /** Whether an object would judge itself, and not one of a class that the script tests. */
  isQuery(thing, self, args) {
    if (!isThing(self)) return false
    const isExempt = typeof self === 'function' ? this.#judge.named.has(self) : this.#judge.isOwn(self) || this.#isFinder(self, thing, args)
    if (isExempt) return false
    const [kind, type] = describe(self)
    const names = [...(['object', 'function', 'proxy'].includes(kind) ? QUERIES : BUILT_IN_QUERIES), ...PATTERNS]
    if (args.some(isRegExp)) names.push(...TEXT_QUERIES)
    if (args.some((each) => ArrayBuffer.isView(each))) names.push(...BYTES_QUERIES)
    const methods = METHODS.get(kind === 'bytes' ? type : BUILT_IN_KINDS[kind]) ?? []
    return [...names, ...methods].some((name) => this.#judge.isAt(self, name, thing)) || methods.some((name) => accessorOf(self, name) === thing)
  }

  /** Whether a method has the script's function choose items, and is one of a class that the script tests. */
  #isFinder(self, thing, args) {
    return typeof args[0] === 'function' && FINDERS.some((name) => this.#judge.isAt(self, name, thing)) && this.#isOfNamedClass(self)
  }

  /** Whether an object is an instance of a class that the script names. */
  #isOfNamedClass(thing) {
    if (!isObject(thing)) return false
    const prototype = getPrototypeOf(thing)
    return [...this.#judge.functions].some(([each, name]) => name !== undefined && propertyOf(each, 'prototype') === prototype)
  }

  /** Has an object give no answer that is what the script expects, where only the code could tell whether it is right. */
  checkAnswer(thing, self, args, value) {
    if (!isThing(self) || args.length === 0) return
    const isOwn = this.#judge.isOwn(self)
    const isEcho = (name, given) =>
      !isOwn && this.#judge.isAt(self, name, thing) && given.some((each) => isDeepStrictEqual(listed(each), listed(value)))
    if (ECHOES.some((name) => isEcho(name, args)) || (args.length > 1 && isEcho('get', args.slice(1)))) {
      this.#judge.unverified(`only the code could tell what its method ${functionName(thing)} says`)
    }
    if (value && this.#judge.isAt(self, 'equals', thing) && isThing(args[0])) {
      if (isProxy(args[0]) || !isDeepStrictEqual(self, args[0])) this.#judge.unverified('only the code could tell whether two of its objects are equal')
      if (!this.#proofs.isMade(self) || !this.#proofs.isMade(args[0])) this.#proofs.compare(self, args[0])
      else if (!this.#proofs.areAsMade(self, args[0])) this.#judge.unverified('only the code could tell whether two objects are equal by now')
    }
  }
}

/** A set as a list of its items. */
function listed(value) {
  return isSet(value) ? itemsOf(value, 'set') : value
}
