// What the script compares, shows or converts to JSON: refuses what only the code could decide.
/** Classes of Node whose objects do not show what they are. */
const OPAQUE = 'URL URLSearchParams Headers Request Response FormData Blob File TextEncoder TextDecoder AbortSignal'.split(' ')

class Comparisons {
  #judge
  #proofs
  #expected
  /** Whether the script converts something to JSON now, and whether it compares something. */
  isStringifying = false
  isComparing = false

  constructor(judge, proofs, expected) {
    this.#judge = judge
    this.#proofs = proofs
    this.#expected = expected
  }

  /** Has a comparison refuse what only the code could decide. */
  compare(one, other, compare) {
    this.isComparing = true
    let isEqual = false
    try {
      const result = this.#expected.withoutTraps(compare, [one, other], (entry) => entry.isByFunction)
      isEqual = result !== false
      if (isEqual) this.#proofs.compare(one, other)
      return result
    } finally {
      this.#checkOpaque(isEqual, [one, other])
      this.isComparing = false
    }
  }

  /** Two values are the same, as the script expects. */
  noteSame(one, other) {
    if (one === other && isObject(one)) this.#proofs.checkSame(one)
  }

  /** Two values differ, as the script expects: they must show that. */
  noteDifference(one, other, isDeep) {
    const isOfProcess = [one, other].some((each) => each === globalThis || each === process || each === console)
    if (isOfProcess) this.#judge.unproven ??= 'each process has its own global object, process and console'
    if (![one, other].some((each) => this.#judge.isOfOther(each)) || (!isDeep && isThing(one) && isThing(other))) return
    if (showSame(one, other)) this.#judge.unproven ??= 'two values differ, but show the same'
  }

  /** The code threw an error, for which the script has an error, a validation object, or a function. */
  noteExpectedError(error, expected) {
    const isClass = typeof expected === 'function' && isNativeError(propertyOf(expected, 'prototype') ?? {})
    const isOfErrors = isClass || (typeof expected === 'function' && Error.isPrototypeOf(expected))
    if (typeof expected === 'function' && this.#judge.isOfOther(expected) && !isOfErrors) {
      this.#judge.unverified(`only the code could tell what its function ${functionName(expected)} says`)
    }
    if (typeof expected === 'function' || isProxy(expected)) return
    const pairs = isNativeError(expected) ? [[error, expected]] : ownKeys(expected).map((key) => [error?.[key], expected[key]])
    for (const [one, other] of pairs) if (isDeepStrictEqual(one, other)) this.#proofs.compare(one, other)
  }

  /** Some objects of Node keep what they are to themselves: they look equal, and those of two processes are of two classes. */
  #checkOpaque(isEqual, compared) {
    const [name] = compared.flatMap(partsOf).flatMap((thing) => this.#opaqueClassOf(thing) ?? [])
    if (name === undefined || (isEqual && compared[0] === compared[1])) return
    const reason = `only ${name} itself could tell whether objects are equal`
    if (isEqual) this.#judge.unproven ??= reason
    else this.#judge.doubt ??= reason
  }

  /** The name of the opaque class of an object. Reads a class only if the object claims to be of it: Node takes 40 ms to load some. */
  #opaqueClassOf(thing) {
    for (let at = thing; at !== null; at = getPrototypeOf(at)) {
      if (isProxy(at) || this.#judge.isOfOther(at)) continue
      const kind = getOwnPropertyDescriptor(at, 'constructor')?.value
      const name = typeof kind === 'function' ? functionName(kind) : ''
      if (OPAQUE.includes(name) && at === globalThis[name]?.prototype) return name
    }
  }

  /** Has the conversion of a value to JSON refuse what only the code could decide. */
  stringify(value, convert) {
    if (this.#proofs.hidesSomething(value)) this.#judge.unverified('an object of the code does not show what it was made of')
    this.isStringifying = true
    try {
      return convert()
    } finally {
      this.isStringifying = false
    }
  }

  /** Shows an object to the script. */
  inspect(value, show) {
    return this.#expected.withoutTraps(show, [value])
  }
}

/**
 * What methods of the code that show an object get in place of Node's `inspect`: that would call a `stylize` of the code with its own
 * state, and has accessors that change any object.
 */
const inspectForCode = (value, settings) => {
  const keys = isObject(settings) && !isProxy(settings) ? ownKeys(settings).filter((key) => key !== 'stylize') : []
  return util.inspect(value, Object.fromEntries(keys.map((key) => [key, propertyOf(settings, key)])))
}

/** Whether two values show the same when they are printed. Executes nothing, unlike `isDeepStrictEqual`, which reads accessors. */
function showSame(one, other) {
  return Shown.isSame(shownOf(one), shownOf(other))
}

/** In place of an object within itself, before its depth. */
const CYCLE = Symbol('cycle')

/** What an object shows, in parts that are compared one by one. */
class Shown {
  #parts

  constructor(parts) {
    this.#parts = parts
  }

  static isSame(one, other) {
    const isShown = (each) => isThing(each) && #parts in each
    if (!isShown(one) || !isShown(other)) return Object.is(one, other)
    return one.#parts.length === other.#parts.length && one.#parts.every((part, at) => Shown.isSame(part, other.#parts[at]))
  }
}

/** What a value shows when it is printed: without symbols, accessors and the classes of lists and plain values. */
function shownOf(value, outer = []) {
  if (!isObject(value)) return value
  if (outer.includes(value)) return new Shown([CYCLE, outer.indexOf(value)])
  const within = [...outer, value]
  const kind = describe(value)[0]
  if (isBoxedPrimitive(value)) return unboxed(value)
  if (isDate(value)) return apply(Date.prototype.getTime, value, [])
  const items = itemsOf(value, kind).map((each) => shownOf(each, within))
  if (Array.isArray(value) || isMap(value) || isSet(value)) return new Shown(items)
  const fields = ownKeys(value).map((key) => [key, getOwnPropertyDescriptor(value, key)])
  const shown = fields.filter(([key, { enumerable, get }]) => typeof key === 'string' && enumerable && get === undefined)
  return new Shown([shownOf(getPrototypeOf(value), within), ...items, ...shown.flatMap(([key, field]) => [key, shownOf(field.value, within)])])
}

function unboxed(boxed) {
  for (const type of [String, Number, Boolean, BigInt]) {
    try {
      return apply(type.prototype.valueOf, boxed, [])
    } catch {}
  }
  return boxed
}
