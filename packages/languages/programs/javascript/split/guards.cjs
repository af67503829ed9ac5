// Has objects of the code answer nothing here that only the code could decide.
class Guards {
  #judge
  #proofs
  /** Functions of the code by which a property or a conversion tells a value. */
  #getters = new WeakSet()
  #jsonFunctions = new WeakSet()
  /** Functions in place of the code's properties, which pass to no process → these properties; null if there was none. */
  #guards

  /** @param guards to which the functions are added that stand in place of the code's properties */
  constructor(judge, proofs, guards) {
    this.#judge = judge
    this.#proofs = proofs
    this.#guards = guards
  }

  /** Whether a function tells a property, or the text of an object. */
  isGetter(thing) {
    return this.#getters.has(thing)
  }

  /** Whether a function tells what an object is as JSON. */
  isOfJson(thing) {
    return this.#jsonFunctions.has(thing)
  }

  /** Prepares an object of the code: no operator may have it converted by functions of the code. */
  guard(thing) {
    // A symbol has nothing of its own.
    if (!isThing(thing)) return
    const isArrays = hasOwn(thing, Symbol.species) && Array.isPrototypeOf(thing)
    if (isArrays || (Array.isArray(thing) && hasOwn(thing, 'constructor'))) {
      this.#judge.unproven ??= 'the code chooses what the methods of its arrays return'
    }
    if (hasProxyBehind(thing)) this.#judge.unproven ??= 'a proxy of the code decides what an object inherits'
    if (typeof thing === 'function') this.#ofFunction(thing)
    if (typeof thing === 'object') this.#ofObject(thing)
    this.#ofConversion(thing)
  }

  /** Has functions of the code tell what does not change: their accessors, and the values that operators ask for. */
  #ofFunction(thing) {
    // Operators would convert it by what the other type has, which asks for properties of the code.
    if (!inherits(thing, Function.prototype)) this.#judge.unproven ??= 'a function of the code inherits from another type than functions do'
    for (const key of ownKeys(thing)) {
      const { get, value } = getOwnPropertyDescriptor(thing, key)
      if (get !== undefined) this.#getters.add(get)
      this.#ofField(thing, key, value)
      if (typeof value !== 'function') continue
      if (CONVERSIONS.includes(key)) this.#getters.add(value)
      if (key === 'toJSON') this.#jsonFunctions.add(value)
    }
  }

  #ofObject(thing) {
    this.#proofs.noteTold(thing, false)
    for (const key of ownKeys(thing)) {
      const { get, value } = getOwnPropertyDescriptor(thing, key)
      this.#ofField(thing, key, value)
      if (get === undefined || this.#guards.has(get)) continue
      if (isAsked(key)) {
        this.#refuse(thing, key, `only the code could tell what ${String(key)} is`)
        continue
      }
      this.#getters.add(get)
      // It tells its value when it is asked.
      this.#proofs.noteTold(thing, true)
    }
    const { value: toJson } = getOwnPropertyDescriptor(thing, 'toJSON') ?? {}
    if (typeof toJson === 'function') this.#jsonFunctions.add(toJson)
  }

  /** A built-in function as a method would answer here, where the code's own would be asked there. */
  #ofField(thing, key, value) {
    if (key === 'then') this.#judge.hasThenable = true
    if (typeof value !== 'function' || !isAsked(key) || this.#judge.isOfOther(value) || this.#guards.has(value)) return
    this.#refuse(thing, key, `only the code could tell what its method ${String(key)} says`)
  }

  /** Leaves unverified what a property tells. */
  #refuse(thing, key, reason) {
    const original = getOwnPropertyDescriptor(thing, key)
    const get = () => this.#judge.unverified(reason)
    if (defineProperty(thing, key, { get, configurable: true, enumerable: original.enumerable })) this.#guards.set(get, original)
    else this.#judge.unproven ??= reason
  }

  /** Has functions of the code tell no more than the text of an object. */
  #ofConversion(thing) {
    const fields = CONVERSIONS.map((key) => getOwnPropertyDescriptor(thing, key))
    const isOwn = fields.some((field) => field !== undefined && !this.#guards.has(field.value ?? field.get))
    if (!isOwn && !tellsText(thing)) return
    const [toText, , toPlain] = fields.map((field) => field?.value)
    for (const each of [toText, toPlain]) if (typeof each === 'function') this.#getters.add(each)
    const reason = 'only the code could tell the plain value of an object'
    const unverified = () => this.#judge.unverified(reason)
    const guards = this.#guards
    const convert = function (hint) {
      const isInherited = typeof toPlain !== 'function' && guards.get(propertyOf(getPrototypeOf(this), Symbol.toPrimitive))
      if (hint !== 'string' || isInherited) return unverified()
      const text = typeof toPlain === 'function' ? toPlain.call(this, hint) : this.toString()
      // The language would go on with another method, or refuse it.
      return isThing(text) || typeof text === 'symbol' ? unverified() : String(text)
    }
    const original = fields[2]
    const field = { value: convert, configurable: true, writable: true, enumerable: original?.enumerable === true }
    if (defineProperty(thing, Symbol.toPrimitive, field)) guards.set(convert, original ?? null)
    else this.#judge.unproven ??= reason
  }
}

/** Whether an object computes its own text: lists do so by `join`, errors by `name` and `message`. Executes nothing. */
function tellsText(thing) {
  const isList = inherits(thing, Array.prototype) || inherits(thing, getPrototypeOf(Uint8Array.prototype))
  if (isList && hasOwn(thing, 'join')) return true
  const fields = ['name', 'message'].map((key) => getOwnPropertyDescriptor(thing, key) ?? {})
  return inherits(thing, Error.prototype) && fields.some(({ get, value }) => get !== undefined || isThing(value))
}

/** Whether an object inherits from a proxy. Executes nothing. */
function hasProxyBehind(thing) {
  let at = thing
  while (at !== null && !isProxy(at)) at = getPrototypeOf(at)
  return at !== null
}
