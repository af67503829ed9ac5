// Has objects of the code answer nothing here that only the code could decide.
class Guards {
  #judge
  #proofs
  /** Functions of the code by which a property or a conversion tells a value. */
  #getters = new WeakSet()
  #jsonFunctions = new WeakSet()
  /** Functions in place of the code's, which pass to no process. */
  #guards

  /** @param guards to which the functions are added that stand in place of the code's */
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
    const isArrays = hasOwn(thing, Symbol.species) && Array.isPrototypeOf(thing)
    if (isArrays || (Array.isArray(thing) && hasOwn(thing, 'constructor'))) {
      this.#judge.unproven ??= 'the code chooses what the methods of its arrays return'
    }
    if (typeof thing === 'function') this.#ofFunction(thing)
    if (typeof thing === 'object') this.#ofObject(thing)
    this.#ofConversion(thing)
  }

  /** Has functions of the code tell what does not change: their accessors, and the values that operators ask for. */
  #ofFunction(thing) {
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
    if (hasProxyBehind(thing)) this.#judge.unproven ??= 'a proxy of the code decides what an object inherits'
    this.#proofs.noteTold(thing, false)
    for (const key of ownKeys(thing)) {
      const { get, value } = getOwnPropertyDescriptor(thing, key)
      this.#ofField(thing, key, value)
      if (get === undefined) continue
      if (isAsked(key)) {
        const answer = () => this.#judge.unverified(`only the code could tell what ${String(key)} is`)
        defineProperty(thing, key, { get: answer, configurable: true, enumerable: false })
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
    const answer = () => this.#judge.unverified(`only the code could tell what its method ${String(key)} says`)
    defineProperty(thing, key, { value: answer, configurable: true, writable: true, enumerable: false })
    this.#guards.add(answer)
  }

  /** Has functions of the code tell no more than the text of an object. */
  #ofConversion(thing) {
    const own = CONVERSIONS.filter((key) => hasOwn(thing, key) && !this.#guards.has(thing[key]))
    if (own.length === 0) return
    const [toText, toPlain] = ['toString', Symbol.toPrimitive].map((key) => getOwnPropertyDescriptor(thing, key)?.value)
    for (const each of [toText, toPlain]) if (typeof each === 'function') this.#getters.add(each)
    const unverified = () => this.#judge.unverified('only the code could tell the plain value of an object')
    const convert = function (hint) {
      if (hint !== 'string') return unverified()
      return String(typeof toPlain === 'function' ? toPlain.call(this, hint) : this.toString())
    }
    this.#guards.add(convert)
    defineProperty(thing, Symbol.toPrimitive, { value: convert, configurable: true, writable: true, enumerable: false })
  }
}

/** Whether an object inherits from a proxy. Executes nothing. */
function hasProxyBehind(thing) {
  let at = thing
  while (at !== null && !isProxy(at)) at = getPrototypeOf(at)
  return at !== null
}
