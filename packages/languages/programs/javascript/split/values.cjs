// Values as JSON. null, booleans, texts and most numbers stand for themselves; all others are lists that begin with a tag.
// An object is a number in a table that both processes have; its content is a flat list of values.
const { isProxy, isPromise, isNativeError, isBoxedPrimitive, isGeneratorObject, isRegExp, isDate, isMap, isSet, isWeakMap, isWeakSet } =
  require('node:util').types
const { ownKeys, apply, construct, getPrototypeOf, setPrototypeOf, defineProperty, deleteProperty } = Reflect
const { getOwnPropertyDescriptor, hasOwn, is, isExtensible, isFrozen, isSealed, freeze, seal, preventExtensions } = Object

/** A value that no writer makes. */
class Unreadable extends Error {}

const HOLE = Symbol('hole')
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
const ITERATOR = PROTOTYPES.get('Iterator')
const BUILT_IN_ITERATORS = new Set(
  'Array,Map,Set,String,RegExp String'.split(',').map((name) => `${name} Iterator`).concat('Iterator Helper'),
)
const ASYNC_GENERATOR = getPrototypeOf(async function* () {}).prototype
const SYMBOLS = new Map(
  ownKeys(Symbol)
    .filter((key) => typeof Symbol[key] === 'symbol')
    .map((key) => [Symbol[key], key]),
)
/** Length of an array from which on only changes of its items are looked for. */
const LONG = 32
/** Maximum length of an array with other properties than its items. */
const MAX_KEYED = 4096
/** Kinds that stand for something in the other process. */
const REMOTE = new Set(['function', 'promise', 'iterator', 'async iterator', 'proxy', 'symbol'])

/** Whether a value is an object or a function. */
function isThing(value) {
  return typeof value === 'function' || (typeof value === 'object' && value !== null)
}

/** The kind of an object, and what is known about it for good. */
function describe(thing) {
  if (typeof thing === 'symbol') return ['symbol', thing.description]
  if (isProxy(thing)) return ['proxy', isArray(thing) ? 'array' : typeof thing]
  if (typeof thing === 'function') {
    const { name = '', length = 0 } = described(thing)
    return ['function', name, length, isConstructor(thing)]
  }
  if (Array.isArray(thing)) return ['array']
  if (isMap(thing)) return ['map']
  if (isSet(thing)) return ['set']
  if (isDate(thing)) return ['date']
  if (isRegExp(thing)) return ['regexp', thing.source, thing.flags]
  if (isPromise(thing)) return ['promise']
  // Only the other process knows what is in them.
  if (isWeakMap(thing) || isWeakSet(thing)) return ['proxy', 'object']
  if (isNativeError(thing)) return ['error', ERRORS.findLast((name) => thing instanceof KNOWN.get(name)) ?? 'Error', stackOf(thing)]
  if (ArrayBuffer.isView(thing) || thing instanceof ArrayBuffer) return ['bytes', BYTES.find((name) => thing instanceof KNOWN.get(name)), thing.byteLength]
  if (isBoxedPrimitive(thing)) return ['boxed', getPrimitive(thing)]
  if (isGeneratorObject(thing) || isBuiltInIterator(thing)) {
    return [ASYNC_GENERATOR.isPrototypeOf(thing) ? 'async iterator' : 'iterator', tagOf(thing)]
  }
  return ['object']
}

/** Whether something is an array, or a proxy of one that is not revoked. */
function isArray(thing) {
  try {
    return Array.isArray(thing)
  } catch {
    return false
  }
}

function described(thing) {
  const value = (key) => getOwnPropertyDescriptor(thing, key)?.value
  const [name, length] = [value('name'), value('length')]
  return { name: typeof name === 'string' ? name : '', length: Number.isSafeInteger(length) ? length : 0 }
}

function isConstructor(thing) {
  try {
    construct(Object, [], thing)
    return hasOwn(thing, 'prototype')
  } catch {
    return false
  }
}

function isBuiltInIterator(thing) {
  if (!apply(Object.prototype.isPrototypeOf, ITERATOR, [thing])) return false
  return BUILT_IN_ITERATORS.has(tagOf(thing))
}

/** What the type of an iterator is called. */
function tagOf(thing) {
  if (isGeneratorObject(thing)) return 'Generator'
  return getOwnPropertyDescriptor(getPrototypeOf(thing), Symbol.toStringTag)?.value
}

function stackOf(error) {
  try {
    return String(error.stack)
  } catch {
    return ''
  }
}

function getPrimitive(boxed) {
  for (const kind of [Number, String, Boolean, BigInt, Symbol]) {
    try {
      return kind.prototype.valueOf.call(boxed)
    } catch {}
  }
}

function bytesOf(thing) {
  return thing instanceof ArrayBuffer ? Buffer.from(thing) : Buffer.from(thing.buffer, thing.byteOffset, thing.byteLength)
}

/** Whether an object still holds what it held. */
function isUnchanged(thing, kind, state, skipped) {
  if (kind === 'array' && thing.length > LONG) {
    if (state[1] !== thing.length) return false
    for (let at = 0; at < thing.length; at++) {
      const was = state[at + 2]
      if (was === HOLE ? hasOwn(thing, at) : !is(was, thing[at])) return false
    }
    return true
  }
  const now = look(thing, kind, skipped)
  if (now.length !== state.length) return false
  for (let at = 0; at < now.length; at++) if (!is(now[at], state[at])) return false
  return true
}

/** What an object holds now: whether it can change, its items, and its own properties. Executes nothing of it. */
function look(thing, kind, skipped) {
  if (kind === 'symbol' || kind === 'proxy' || kind === 'promise' || kind.endsWith('iterator')) return []
  const items = itemsOf(thing, kind)
  const state = [isExtensible(thing) ? 0 : isFrozen(thing) ? 3 : isSealed(thing) ? 2 : 1, items.length]
  for (let at = 0; at < items.length; at++) state[at + 2] = items[at]
  if (kind === 'bytes' || (kind === 'array' && thing.length > MAX_KEYED)) return state
  const keys = ownKeys(thing)
  // Indices come first, and then the length.
  for (let at = kind === 'array' || isString(thing, kind) ? keys.lastIndexOf('length') + 1 : 0; at < keys.length; at++) {
    const key = keys[at]
    if (isImplied(kind, key)) continue
    const { value, get, set, enumerable, writable, configurable } = getOwnPropertyDescriptor(thing, key)
    if (get === undefined && set === undefined) {
      const marks = writable || isFrozen(thing) ? 'eh' : configurable ? 'rq' : 'RQ'
      if (!skipped.has(value)) state.push(key, marks[enumerable ? 0 : 1], value)
    } else state.push(key, enumerable ? 'a' : 'i', get, set)
  }
  return state
}

function isString(thing, kind) {
  return kind === 'boxed' && typeof getPrimitive(thing) === 'string'
}

/** Whether a property is part of the object's description or of its items. */
function isImplied(kind, key) {
  if (kind === 'function') return key === 'name' || key === 'length' || key === 'prototype' || key === 'arguments' || key === 'caller'
  return (kind === 'error' && key === 'stack') || (kind === 'regexp' && key === 'lastIndex')
}

function itemsOf(thing, kind) {
  switch (kind) {
    case 'array': {
      const items = new Array(thing.length)
      for (let at = 0; at < thing.length; at++) items[at] = hasOwn(thing, at) ? thing[at] : HOLE
      return items
    }
    case 'map': {
      const items = []
      Map.prototype.forEach.call(thing, (value, key) => items.push(key, value))
      return items
    }
    case 'set': {
      const items = []
      Set.prototype.forEach.call(thing, (value) => items.push(value))
      return items
    }
    case 'date':
      return [Date.prototype.getTime.call(thing)]
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
  if (kind !== 'bytes' && !(kind === 'array' && thing.length > LONG)) {
    for (const key of ownKeys(thing)) if (!isImplied(kind, key) && !(kind === 'array' && key === 'length')) deleteProperty(thing, key)
  }
  fillItems(thing, kind, state, count + 2)
  for (let at = count + 2; at < state.length; ) {
    const key = state[at++]
    const mark = state[at++]
    if (typeof key !== 'string' && typeof key !== 'symbol') throw new Unreadable()
    const enumerable = 'earR'.includes(mark)
    const property =
      isValue(mark)
        ? { value: state[at++], writable: 'eh'.includes(mark), enumerable, configurable: !'RQ'.includes(mark) }
        : { get: state[at++], set: state[at++], enumerable, configurable: true }
    defineProperty(thing, key, property)
  }
  if (level !== 0) (level === 3 ? freeze : level === 2 ? seal : preventExtensions)(thing)
}

/**
 * Whether a mark in a state is that of a property with a value: `e` for an enumerable one, `h` for a hidden one, `r` and `q` for those
 * that are read-only, `R` and `Q` for those that cannot be deleted, either.
 */
function isValue(mark) {
  return 'ehrqRQ'.includes(mark)
}

function fillItems(thing, kind, state, end) {
  switch (kind) {
    case 'array':
      if (isFrozen(thing) && thing.length > 0) return
      if (thing.length > end - 2 || state[end - 1] === HOLE) thing.length = end - 2
      for (let at = 2; at < end; at++) {
        if (state[at] === HOLE) deleteProperty(thing, at - 2)
        else thing[at - 2] = state[at]
      }
      return
    case 'map':
      Map.prototype.clear.call(thing)
      for (let at = 2; at + 1 < end; at += 2) Map.prototype.set.call(thing, state[at], state[at + 1])
      return
    case 'set':
      Set.prototype.clear.call(thing)
      for (let at = 2; at < end; at++) Set.prototype.add.call(thing, state[at])
      return
    case 'date':
      if (typeof state[2] !== 'number') throw new Unreadable()
      Date.prototype.setTime.call(thing, state[2])
      return
    case 'regexp':
      thing.lastIndex = state[2]
      return
    case 'bytes':
      if (typeof state[2] !== 'string') throw new Unreadable()
      Buffer.from(state[2], 'base64').copy(bytesOf(thing))
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
      return ['u']
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
