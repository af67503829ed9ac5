// Stand for proxies of the code.
class Proxies {
  #judge
  #told
  #expected
  /** Functions that a proxy told → their names. */
  #toldNames = new WeakMap()

  constructor(judge, told, expected) {
    this.#judge = judge
    this.#told = told
    this.#expected = expected
  }

  /** Whether a proxy told a function as its method of that name. */
  hasTold(thing, name) {
    return this.#toldNames.get(thing)?.has(name) === true
  }

  /** What stands for a proxy of the code. Its properties are questions; nothing else of it can be decided here. */
  make(type) {
    const undecided = () => this.#judge.unverified('only the code could tell what a proxy is equal to')
    const ask =
      (operation) =>
      (_, ...args) => {
        this.#judge.forgetTold()
        return this.#judge.ask(operation, handle, ...args)
      }
    /** Operators may have its text, and no other value, which its `toString` would tell in place of a `valueOf`. */
    const convert = (hint) => {
      const text = hint === 'string' ? handle.toString() : undecided()
      return isThing(text) || typeof text === 'symbol' ? undecided() : text
    }
    // A function that can be called with new.
    const target = type === 'function' ? function () {} : type === 'array' ? [] : {}
    const handle = new Proxy(target, {
      get: (_, key) => {
        if (key === 'then') this.#judge.hasThenable = true
        const isQuery = BUILT_IN_QUERIES.includes(key) || key === Symbol.hasInstance
        if (isQuery || (this.#judge.comparisons.isStringifying && key === 'toJSON')) undecided()
        const value = this.#judge.read(handle, () => this.#judge.ask('get', handle, key))
        if (typeof value === 'function') {
          this.#toldNames.set(value, (this.#toldNames.get(value) ?? new Set()).add(key))
          const isConversion = key === 'valueOf' || key === Symbol.toPrimitive || PATTERNS.includes(key)
          return isConversion ? undecided : value
        }
        if (key === Symbol.toPrimitive) return convert
        // Proxies are compared as they are used.
        const owner = this.#told.firstOf(handle)
        if (isProxy(value)) this.#told.alias(owner, key, value)
        else this.#told.compare(owner, undefined, value, key)
        this.#judge.noteValues([value])
        return value
      },
      set: (_, key, value) => ask('set')(_, key, value) === true,
      has: undecided,
      deleteProperty: ask('delete'),
      apply: (_, self, args) => this.#judge.call(handle, self, args),
      construct: (_, args) => this.#judge.construct(handle, args),
      ownKeys: undecided,
      getOwnPropertyDescriptor: undecided,
      getPrototypeOf: undecided,
      setPrototypeOf: undecided,
      defineProperty: undecided,
    })
    this.#expected.notePassed(handle)
    return handle
  }
}
