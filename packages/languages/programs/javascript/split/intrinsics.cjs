// What the language defines in the judge's process: the code must neither get it, nor have a script change it.
const { toString: textOf } = Function.prototype

/** Why a script is unverified that has changed something. */
const CHANGES_LANGUAGE = 'the script changes what the language defines'
/** Static functions of `Object` that the code may get: they only tell what they are given, or make an object of it. */
const PURE = 'assign is keys values entries fromEntries freeze isFrozen hasOwn groupBy'.split(' ')
/** A property that a script may change without an effect on what it judges. */
const CHANGEABLE = 'stackTraceLimit'
/** Names by which a script that has them from the code can reach what the language defines. */
const REACHES = new Set([
  ...'__proto__ constructor prototype __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__'.split(' '),
  ...ownKeys(globalThis).filter((key) => typeof key === 'string'),
])
/** Methods of the contexts of Node's test runner by which a program changes how its test ends. */
const ENDING = ['todo', 'skip', 'plan', 'runOnly']

/** Everything that the language defines. */
const INTRINSICS = reachableFrom([...BUILT_IN_OWNERS.values(), ...FUNCTIONS, ...BUILT_IN_ITERATORS.keys(), PROTOTYPES.get('Iterator'), Proxy, Atomics, eval])
/** Its globals. Those of Node are left out: many of them are loaded when they are looked at. */
const GLOBALS = [...BUILT_IN_OWNERS.keys(), 'Proxy', 'parseInt', 'parseFloat', 'isNaN', 'isFinite'].filter((name) => !name.includes('.'))
/** What else a script can change of it, as it is before the judge prepares itself. */
const STATES = [...INTRINSICS].filter((thing) => !isMethod(thing)).map((thing) => stateOf(thing))
/** What the code must not have of it: it could change the rest, or read what a script is about to judge. */
const REFUSED = new Set([
  ...[...INTRINSICS].filter((thing) => typeof thing === 'object'),
  ...STATES.flatMap(accessorsIn),
  ...staticFunctionsOf(Object).filter((each) => !PURE.includes(each.name)),
  ...[Reflect, Function.prototype].flatMap(staticFunctionsOf),
  ...staticFunctionsOf(Object.prototype).filter((each) => each.name.startsWith('__')),
  ...[...FUNCTIONS, Function.prototype, Proxy, eval],
])

/** Things, and all to which they lead. Executes nothing of them; freezes methods, which then lead to nothing. */
function reachableFrom(roots) {
  const found = new Set(roots)
  for (const thing of found) {
    if (isMethod(thing)) {
      freeze(thing)
      continue
    }
    const fields = ownKeys(thing).map((key) => getOwnPropertyDescriptor(thing, key))
    const parts = [getPrototypeOf(thing), ...fields.flatMap(({ value, get, set }) => [value, get, set])]
    for (const part of parts) if (typeof part === 'function' || (typeof part === 'object' && part !== null)) found.add(part)
  }
  return found
}

function staticFunctionsOf(owner) {
  const values = ownKeys(owner).map((key) => getOwnPropertyDescriptor(owner, key).value)
  return values.filter((value) => typeof value === 'function' && !KNOWN_NAMES.has(value))
}

/** The getters and setters in a state. */
function accessorsIn({ owner, keys }) {
  const accessors = keys.map((key) => getOwnPropertyDescriptor(owner, key)).filter((field) => !hasOwn(field, 'value'))
  return accessors.flatMap(({ get, set }) => [get, set]).filter((each) => each !== undefined)
}

/** Whether a thing is a function, but no constructor. */
function isMethod(thing) {
  return typeof thing === 'function' && !hasOwn(thing, 'prototype') && thing !== Function.prototype
}

/** What the language defines, as it is when the script starts. */
class Intrinsics {
  #script
  #states = []
  #globals = []

  /**
   * @param script the text that runs
   * @param isOwn tells whether the script itself defines or sets a global of that name
   */
  constructor(script, isOwn) {
    this.#script = script
    const states = STATES.map((state) => (changedKey(state) === undefined ? state : stateOf(state.owner)))
    const ofNode = [EventEmitter, EventEmitter.prototype, util.inspect.defaultOptions]
    this.#states = [...states, ...ofNode.map((thing) => stateOf(thing))]
    this.#globals = GLOBALS.filter((name) => !isOwn(name)).map((name) => [name, propertyOf(globalThis, name)])
  }

  /** Whether a script has changed something since. Uses nothing that it could have changed. */
  get hasChanged() {
    for (let at = 0; at < this.#states.length; at++) if (changedKey(this.#states[at], CHANGEABLE) !== undefined) return true
    for (let at = 0; at < this.#globals.length; at++) {
      const entry = this.#globals[at]
      if (!is(propertyOf(globalThis, entry[0]), entry[1])) return true
    }
    return false
  }

  /** Whether a function is one of the script. */
  isOfScript(thing) {
    return this.#script.includes(apply(textOf, thing, []))
  }
}

/**
 * Has no text become a function but those of the script itself, without `this`, which would be the global object.
 *
 * @param texts of the script
 * @param refused called if it is another one
 */
function guardEvaluation(texts, refused) {
  const check = (args) => {
    for (const each of args) if (!texts.has(each) || /\bthis\b/.test(each)) refused()
  }
  for (const kind of FUNCTIONS) {
    const guarded = new Proxy(kind, {
      apply(_, self, args) {
        check(args)
        return apply(kind, self, args)
      },
      construct(_, args, target) {
        check(args)
        return construct(kind, args, target)
      },
    })
    defineProperty(kind.prototype, 'constructor', { value: guarded, configurable: true, enumerable: false })
    // The others inherit from this one.
    if (kind === Function) defineProperty(globalThis, 'Function', { value: guarded, writable: true, configurable: true, enumerable: false })
    else setPrototypeOf(kind, globalThis.Function)
  }
}
