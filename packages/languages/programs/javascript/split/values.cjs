// Values as JSON. null, booleans, texts and most numbers stand for themselves; all others are lists that begin with a tag.
// An object is a number in a table that both processes have; its content is a flat list of values.
const { types, isDeepStrictEqual: areEqual } = require('node:util')
const { isProxy, isPromise, isNativeError, isBoxedPrimitive, isGeneratorObject, isRegExp, isDate, isMap, isSet, isWeakMap, isWeakSet } = types
const { isArgumentsObject, isArrayBuffer, isAnyArrayBuffer, isDataView, isTypedArray } = types
const { ownKeys, apply, construct, getPrototypeOf, setPrototypeOf, defineProperty, deleteProperty } = Reflect
const { __lookupGetter__: lookupGetter } = Object.prototype
const { getOwnPropertyDescriptor, hasOwn, is, isExtensible, isFrozen, isSealed, freeze, seal, preventExtensions } = Object

/** A value that no writer makes. */
class Unreadable extends Error {}

const HOLE = Symbol('hole')
const ARRAY = Array.prototype
const BYTES =
  'Buffer ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array'
    .split(' ')
    .filter((name) => name in globalThis)
const ERRORS = 'Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError'.split(' ')
/** Constructors that are the same in both processes. Code chooses among them, so none may do harm with any arguments. */
const KNOWN = new Map(
  ['Object', 'Array', 'String', 'Number', 'Boolean', 'BigInt', 'Symbol', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Date', 'RegExp', 'Promise', 'Iterator', ...BYTES, ...ERRORS]
    .filter((name) => typeof globalThis[name] === 'function')
    .map((name) => [name, globalThis[name]]),
)
const patternText = getOwnPropertyDescriptor(RegExp.prototype, 'source').get
const FLAGS = Object.entries({ d: 'hasIndices', g: 'global', i: 'ignoreCase', m: 'multiline', s: 'dotAll', u: 'unicode', v: 'unicodeSets', y: 'sticky' }).map(
  ([flag, name]) => [flag, getOwnPropertyDescriptor(RegExp.prototype, name).get],
)
/** Methods that a program may have replaced by the time they are needed. */
const { getTime, setTime } = Date.prototype
const { forEach: forEachOfMap, set: setInMap, clear: clearMap } = Map.prototype
const { forEach: forEachOfSet, add: addToSet, clear: clearSet } = Set.prototype
const KNOWN_NAMES = new Map([...KNOWN].map(([name, kind]) => [kind, name]))
/** Prototypes occur only as prototypes of other objects, or code could have a script change them. */
const FUNCTIONS = [Function, async () => {}, function* () {}, async function* () {}].map((each) =>
  each === Function ? each : getPrototypeOf(each).constructor,
)
const PROTOTYPES = new Map(
  [...KNOWN, ...FUNCTIONS.map((kind) => [kind.name, kind])].map(([name, kind]) => [name, kind.prototype]),
)
/** Where code adds methods and functions of its own to those of the language, by their names. */
const BUILT_IN_OWNERS = new Map([
  ...[...PROTOTYPES].map(([name, prototype]) => [`${name}.prototype`, prototype]),
  ...[...KNOWN, ['Function', Function], ['Math', Math], ['JSON', JSON], ['Reflect', Reflect]],
])
const PROTOTYPE_NAMES = new Map([...PROTOTYPES].map(([name, prototype]) => [prototype, name]))
/** Prototypes of the iterators of the language, to which no name leads → what they are called. */
const BUILT_IN_ITERATORS = new Map(
  [[].values(), new Map().values(), new Set().values(), ''[Symbol.iterator](), ''.matchAll(/./g), [].values().map((each) => each)].map((each) => {
    const prototype = getPrototypeOf(each)
    return [prototype, prototype[Symbol.toStringTag]]
  }),
)
const GENERATOR = getPrototypeOf(function* () {}).prototype
const ASYNC_GENERATOR = getPrototypeOf(async function* () {}).prototype
const { get: STACK } = getOwnPropertyDescriptor(new Error(), 'stack')
const PREPARE_STACK = Error.prepareStackTrace
const SYMBOLS = new Map(
  ownKeys(Symbol)
    .filter((key) => typeof Symbol[key] === 'symbol')
    .map((key) => [Symbol[key], key]),
)
/** Length of an array from which on only changes of its items are looked for. */
const LONG = 32
/** Maximum length of an array with other properties than its items. */
const MAX_KEYED = 4096
/** Kinds that stand for something in the other process, and those that have no more than that. */
const REMOTE = new Set(['function', 'promise', 'iterator', 'async iterator', 'proxy', 'symbol'])
const BARE = new Set(['proxy', 'symbol'])
/** Marks of properties with a value in a state: {@link isValue} has their meanings. */
const VALUE_MARKS = new Set('ehrqRQ')

/** Whether a value is an object or a function. */
function isThing(value) {
  return typeof value === 'function' || (typeof value === 'object' && value !== null)
}

/** The kind of an object, and what is known about it for good. */
function describe(thing) {
  if (typeof thing === 'symbol') return ['symbol', thing.description]
  if (isProxy(thing)) return ['proxy', isArray(thing) ? 'array' : typeof thing]
  if (typeof thing === 'function') return ['function', isConstructor(thing)]
  if (Array.isArray(thing)) return ['array']
  if (isMap(thing)) return ['map']
  if (isSet(thing)) return ['set']
  if (isDate(thing)) return ['date']
  if (isRegExp(thing)) return ['regexp', apply(patternText, thing, []), flagsOf(thing)]
  // To wait for a promise is to ask for its constructor.
  if (isPromise(thing)) return accessorOf(thing, 'constructor') === undefined ? ['promise'] : ['proxy', 'object']
  // Only the other process knows what is in them.
  if (isWeakMap(thing) || isWeakSet(thing)) return ['proxy', 'object']
  if (!isThing(thing)) return ['proxy', 'object']
  if (isNativeError(thing)) return ['error', ERRORS.findLast((name) => inherits(thing, KNOWN.get(name).prototype)) ?? 'Error', stackOf(thing)]
  if (ArrayBuffer.isView(thing) || isAnyArrayBuffer(thing)) return bytesNamed(nameOfBytes(thing), thing)
  if (isBoxedPrimitive(thing)) return boxed(getPrimitive(thing))
  if (isArgumentsObject(thing)) return ['arguments']
  const tag = tagOf(thing)
  if (tag === undefined) return ['object']
  return tag === 'AsyncGenerator' ? ['async iterator'] : ['iterator', tag]
}

/** Whether something is an array, or a proxy of one that is not revoked. */
function isArray(thing) {
  try {
    return Array.isArray(thing)
  } catch {
    return false
  }
}

/** Whether an object inherits from another one, up to a proxy. Executes nothing. */
function inherits(thing, prototype) {
  let at = thing
  while (at !== null && at !== prototype && !isProxy(at)) at = getPrototypeOf(at)
  return at === prototype
}

/** The flags of a pattern, whatever it has of its own. */
function flagsOf(pattern) {
  return FLAGS.map(([flag, get]) => (apply(get, pattern, []) ? flag : '')).join('')
}

function isConstructor(thing) {
  try {
    // An accessor would run.
    if (getOwnPropertyDescriptor(thing, 'prototype')?.value === undefined) return false
    construct(Object, [], thing)
    return true
  } catch {
    return false
  }
}

/** What the type of an iterator of the language is called; undefined if it is none, or has methods of its own type. */
function tagOf(thing) {
  const prototype = getPrototypeOf(thing)
  if (!isGeneratorObject(thing)) return BUILT_IN_ITERATORS.get(prototype)
  // Each generator function has a prototype for its generators, which is usually empty.
  const base = prototype === null || ownKeys(prototype).length > 0 ? prototype : getPrototypeOf(prototype)
  return base === GENERATOR ? 'Generator' : base === ASYNC_GENERATOR ? 'AsyncGenerator' : undefined
}

/** The stack of an error, unless it is another property than the language makes. */
function stackOf(error) {
  const field = getOwnPropertyDescriptor(error, 'stack')
  if (field === undefined || !isUsualStack(field)) return ''
  // The first look at a stack makes its text, by a function that the code can replace.
  if (getOwnPropertyDescriptor(Error, 'prepareStackTrace')?.value !== PREPARE_STACK) return ''
  return field.get === undefined ? field.value : String(apply(field.get, error, []))
}

/** Whether the stack of an error is as the language makes it: Node 24 has accessors. */
function isUsualStack({ value, get, enumerable }) {
  return !enumerable && (typeof value === 'string' || (get !== undefined && get === STACK))
}

/** A symbol of the program itself would be another one in the other process. */
function boxed(value) {
  const isOwn = typeof value === 'symbol' && !SYMBOLS.has(value) && Symbol.keyFor(value) === undefined
  return isOwn ? ['proxy', 'object'] : ['boxed', value]
}

/**
 * An item of an array, or the function that computes it. Of a long array, only the first look finds that: it takes four times as
 * long. Executes nothing of an array that inherits from something else than arrays do.
 */
function itemAt(thing, at) {
  if (getPrototypeOf(thing) !== ARRAY) {
    const field = getOwnPropertyDescriptor(thing, at)
    return field?.get ?? field?.value
  }
  return (thing.length <= MAX_KEYED ? apply(lookupGetter, thing, [at]) : undefined) ?? thing[at]
}

/** Whether something is an array that computes some of its items. */
function hasComputedItems(thing) {
  if (isProxy(thing) || !Array.isArray(thing)) return false
  const isUsual = getPrototypeOf(thing) === ARRAY
  for (let at = 0; at < thing.length; at++) {
    const get = isUsual ? apply(lookupGetter, thing, [at]) : getOwnPropertyDescriptor(thing, at)?.get
    if (get !== undefined) return true
  }
  return false
}

function getPrimitive(boxed) {
  for (const kind of [Number, String, Boolean, BigInt, Symbol]) {
    try {
      return kind.prototype.valueOf.call(boxed)
    } catch {}
  }
}

/** Whether an object still holds what it held. */
function isUnchanged(thing, kind, state, originals) {
  if (kind === 'array' && thing.length > LONG) {
    if (state[1] !== thing.length) return false
    for (let at = 0; at < thing.length; at++) {
      const was = state[at + 2]
      if (was === HOLE ? hasOwn(thing, at) : !is(was, itemAt(thing, at))) return false
    }
    return true
  }
  const now = look(thing, kind, originals)
  if (now.length !== state.length) return false
  for (let at = 0; at < now.length; at++) if (!is(now[at], state[at])) return false
  return true
}

/** What an object holds now: whether it can change, its items, and its own properties. Executes nothing of it. */
function look(thing, kind, originals) {
  if (BARE.has(kind)) return []
  const items = itemsOf(thing, kind)
  const state = [isExtensible(thing) ? 0 : isFrozen(thing) ? 3 : isSealed(thing) ? 2 : 1, items.length]
  for (let at = 0; at < items.length; at++) state[at + 2] = items[at]
  const [keys, first] = keysOf(thing, kind, items)
  for (let at = first; at < keys.length; at++) {
    const key = keys[at]
    const field = getOwnPropertyDescriptor(thing, key)
    const original = originals.get(field.value ?? field.get)
    if (original === null || (isImplied(kind, key) && (kind === 'promise' || !field.enumerable))) continue
    const { value, get, set, enumerable, writable, configurable } = original ?? field
    if (kind === 'error' && key === 'stack' && isUsualStack(field)) continue
    if (get === undefined && set === undefined) {
      const marks = writable || isFrozen(thing) ? 'eh' : configurable ? 'rq' : 'RQ'
      state.push(key, marks[enumerable ? 0 : 1], value)
    } else state.push(key, enumerable ? 'a' : 'i', get, set)
  }
  return state
}

/** The keys of an object, and which is the first one that is none of an item. Indices come before all other keys. */
function keysOf(thing, kind, items) {
  if (kind === 'array') {
    if (thing.length > MAX_KEYED && hasItemsOnly(thing, items.map((each) => each))) return [[], 0]
    const keys = ownKeys(thing)
    return [keys, keys.lastIndexOf('length') + 1]
  }
  if (kind === 'bytes' && isTypedArray(thing)) {
    const length = viewed(thing, 'length')
    if (length > LONG && hasItemsOnly(thing, sameBytes(thing, length))) return [[], 0]
    return [ownKeys(thing), length]
  }
  const text = kind === 'boxed' ? getPrimitive(thing) : undefined
  return [ownKeys(thing), typeof text === 'string' ? text.length : 0]
}

/** Whether an object has no enumerable properties but its items, as a copy of it has. Listing all its keys takes longer. */
function hasItemsOnly(thing, copy) {
  // The comparison asks for them.
  if (!['constructor', Symbol.toStringTag].every((key) => isPlainProperty(thing, key))) return false
  if (Array.isArray(copy)) copy.forEach((item, at) => item === HOLE && delete copy[at])
  setPrototypeOf(copy, getPrototypeOf(thing))
  return areEqual(thing, copy)
}

/** Whether to read a property executes nothing of the object. */
function isPlainProperty(thing, key) {
  for (let at = thing; at !== null; at = getPrototypeOf(at)) {
    if (isProxy(at)) return false
    const get = getOwnPropertyDescriptor(at, key)?.get
    if (get !== undefined) return VIEW_GETTERS.get(key)?.includes(get) === true
    if (hasOwn(at, key)) return true
  }
  return true
}

/** Whether a property is part of the object's description or of its items. */
function isImplied(kind, key) {
  switch (kind) {
    case 'function':
      return key === 'prototype' || key === 'arguments' || key === 'caller'
    case 'regexp':
      return key === 'lastIndex'
    case 'boxed':
      return key === 'length'
    // Node keeps notes there.
    case 'promise':
      return typeof key === 'symbol'
    case 'arguments':
      return key === 'callee' || key === Symbol.iterator
    default:
      return false
  }
}

function itemsOf(thing, kind) {
  switch (kind) {
    case 'array': {
      const items = new Array(thing.length)
      for (let at = 0; at < thing.length; at++) items[at] = hasOwn(thing, at) ? itemAt(thing, at) : HOLE
      return items
    }
    case 'map': {
      const items = []
      apply(forEachOfMap, thing, [(value, key) => items.push(key, value)])
      return items
    }
    case 'set': {
      const items = []
      apply(forEachOfSet, thing, [(value) => items.push(value)])
      return items
    }
    case 'date':
      return [apply(getTime, thing, [])]
    case 'regexp':
      return [getOwnPropertyDescriptor(thing, 'lastIndex').value]
    case 'bytes':
      return [bytesOf(thing).toString('base64')]
    case 'function':
      // That of a generator function belongs to its iterators.
      return [isConstructor(thing) ? getOwnPropertyDescriptor(thing, 'prototype')?.value : undefined]
    default:
      return []
  }
}

/** Makes an object of a kind; its content and its prototype follow. */
function make(kind, info) {
  if (info.some((each) => typeof each === 'function' || (typeof each === 'object' && each !== null))) throw new Unreadable()
  switch (kind) {
    case 'object':
      return {}
    case 'array':
      return []
    case 'map':
      return new Map()
    case 'set':
      return new Set()
    case 'date':
      return new Date(Number.NaN)
    case 'regexp':
      return new RegExp(info[0], info[1])
    case 'error': {
      if (!ERRORS.includes(info[0])) throw new Unreadable()
      const error = info[0] === 'AggregateError' ? new AggregateError([]) : new (KNOWN.get(info[0]))()
      for (const key of ownKeys(error)) deleteProperty(error, key)
      defineProperty(error, 'stack', { value: String(info[1]), writable: true, configurable: true, enumerable: false })
      return error
    }
    case 'bytes': {
      const [name, length] = info
      if (!Number.isSafeInteger(length) || length < 0 || length > 1 << 24 || !BYTES.includes(name)) throw new Unreadable()
      const bytes = new ArrayBuffer(length)
      return name === 'ArrayBuffer' ? bytes : name === 'Buffer' ? Buffer.from(bytes) : new (KNOWN.get(name))(bytes)
    }
    case 'boxed':
      return Object(info[0])
    case 'arguments':
      return (function () {
        return arguments
      })()
    case 'symbol':
      return Symbol(info[0])
    default:
      throw new Unreadable()
  }
}

/** Gives an object the content of a state; only own properties are defined, whatever their names are. */
function fill(thing, kind, state) {
  if (state.length === 0) return
  const [level, count] = state
  if (!Number.isSafeInteger(count) || count < 0 || count + 2 > state.length) throw new Unreadable()
  if (!((kind === 'array' || kind === 'bytes') && thing.length > LONG)) {
    const isKept = (key) => isImplied(kind, key) || (kind === 'array' && key === 'length') || (kind === 'error' && key === 'stack')
    const keys = ownKeys(thing).filter((key) => !isKept(key))
    // Their order counts, and some keys cannot be deleted to be added again.
    const told = keysIn(state)
    const isLeft = (key) => !isExtensible(thing) && (told.includes(key) || (kind === 'array' && isIndex(key)))
    if (keys.some((key, at) => key !== told[at])) for (const key of keys) if (!isLeft(key)) deleteProperty(thing, key)
  }
  fillItems(thing, kind, state, count + 2)
  for (let at = count + 2; at < state.length; ) {
    const key = state[at++]
    const mark = state[at++]
    if (typeof key !== 'string' && typeof key !== 'symbol') throw new Unreadable()
    if (!isValue(mark) && mark !== 'a' && mark !== 'i') throw new Unreadable()
    const enumerable = 'earR'.includes(mark)
    const property =
      isValue(mark)
        ? { value: state[at++], writable: 'eh'.includes(mark), enumerable, configurable: !'RQ'.includes(mark) }
        : { get: state[at++], set: state[at++], enumerable, configurable: true }
    // That of a sealed object stays as it is, but for its value.
    if (getOwnPropertyDescriptor(thing, key)?.configurable === false) delete property.configurable
    defineProperty(thing, key, property)
  }
  if (level !== 0) (level === 3 ? freeze : level === 2 ? seal : preventExtensions)(thing)
}

/** The keys of the properties in a state. */
function keysIn(state) {
  const keys = []
  for (let at = state[1] + 2; at < state.length; at += isValue(state[at + 1]) ? 3 : 4) keys.push(state[at])
  return keys
}

/**
 * Whether a mark in a state is that of a property with a value: `e` for an enumerable one, `h` for a hidden one, `r` and `q` for those
 * that are read-only, `R` and `Q` for those that cannot be deleted, either.
 */
function isValue(mark) {
  return VALUE_MARKS.has(mark)
}

/** Whether a key is that of an item of an array. */
function isIndex(key) {
  return typeof key === 'string' && String(key >>> 0) === key
}

/** Gives an array an item, whatever it inherits. */
function setItem(array, at, value) {
  const added = hasOwn(array, at) ? undefined : { writable: true, enumerable: true, configurable: true }
  defineProperty(array, at, { value, ...added })
}

function fillItems(thing, kind, state, end) {
  switch (kind) {
    case 'array': {
      if (isFrozen(thing) && thing.length > 0) return
      if (thing.length > end - 2 || state[end - 1] === HOLE) thing.length = end - 2
      const isUsual = getPrototypeOf(thing) === ARRAY
      for (let at = 2; at < end; at++) {
        if (state[at] === HOLE) deleteProperty(thing, at - 2)
        else if (isUsual) thing[at - 2] = state[at]
        else setItem(thing, at - 2, state[at])
      }
      return
    }
    case 'map':
      apply(clearMap, thing, [])
      for (let at = 2; at + 1 < end; at += 2) apply(setInMap, thing, [state[at], state[at + 1]])
      return
    case 'set':
      apply(clearSet, thing, [])
      for (let at = 2; at < end; at++) apply(addToSet, thing, [state[at]])
      return
    case 'date':
      if (typeof state[2] !== 'number') throw new Unreadable()
      apply(setTime, thing, [state[2]])
      return
    case 'regexp':
      thing.lastIndex = state[2]
      return
    case 'bytes':
      if (typeof state[2] !== 'string') throw new Unreadable()
      if (state[2] === '') giveAway(thing)
      else Buffer.from(state[2], 'base64').copy(bytesOf(thing))
      return
    case 'function':
      // That of a class never changes.
      if (state[2] !== undefined && getOwnPropertyDescriptor(thing, 'prototype')?.writable) thing.prototype = state[2]
      return
  }
}

/** A number, text or other value without content as JSON; undefined if it is an object. */
function plainCell(value) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) && !is(value, -0) ? value : ['n', is(value, -0) ? '-0' : String(value)]
    case 'undefined':
      return value === undefined ? ['u'] : undefined
    case 'bigint':
      return ['b', value < 0n ? '-' : '', (value < 0n ? -value : value).toString(16)]
    case 'symbol': {
      if (value === HOLE) return ['h']
      const key = SYMBOLS.get(value)
      if (key !== undefined) return ['s', key]
      const registered = Symbol.keyFor(value)
      return registered === undefined ? undefined : ['r', registered]
    }
    default: {
      if (value === null) return null
      const name = KNOWN_NAMES.get(value)
      return name === undefined ? undefined : ['k', name]
    }
  }
}

/** The value of what {@link plainCell} made. */
function plainValue([tag, text, more]) {
  switch (tag) {
    case 'n':
      return Number(text)
    case 'u':
      return undefined
    case 'b':
      return text === '-' ? -BigInt(`0x${more}`) : BigInt(`0x${more}`)
    case 'h':
      return HOLE
    case 's':
      if (typeof Symbol[text] !== 'symbol') throw new Unreadable()
      return Symbol[text]
    case 'r':
      return Symbol.for(String(text))
    case 'k':
      if (!KNOWN.has(text)) throw new Unreadable()
      return KNOWN.get(text)
    default:
      throw new Unreadable()
  }
}
