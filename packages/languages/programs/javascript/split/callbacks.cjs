// What the code may do with functions of the script, and of Node.
class Callbacks {
  #judge
  /** What functions of the script were asked last, and what they answered. */
  #answers = new WeakMap()
  /** Number of functions of the script that the code calls now. */
  #answering = 0
  /** What functions of the script threw that judge what they are given. */
  #failures = new WeakSet()

  constructor(judge) {
    this.#judge = judge
  }

  /** Has everything that the code asks for leave what the language defines as it is. */
  watch(operations) {
    for (const [name, operation] of Object.entries(operations)) {
      operations[name] = (...args) => {
        const isAhead = name === 'next' && typeof args[1] === 'number' && args[1] > 1 && this.#judge.lent.has(args[0])
        if (isAhead) this.#judge.doubt ??= 'the code takes values of an iterator of the script ahead'
        try {
          return operation(...args)
        } finally {
          this.#judge.checkIntrinsics()
        }
      }
    }
    const { call } = operations
    operations.call = (thing, self, ...args) => this.#call(call, thing, self, args)
  }

  #call(call, thing, self, args) {
    if (this.#isEnding(thing)) this.#judge.unproven ??= `the code calls ${functionName(thing)} of a test of the script`
    this.#judge.noteCalled(thing, args)
    const answer = this.#whileAnswering(() => call(thing, this.#selfFor(thing, self), ...args))
    const [question = args, before = answer] = this.#answers.get(thing) ?? []
    const isAsSame = question.length === args.length && question.every((each, at) => is(each, args[at]))
    // What the script says can change what properties tell, such as the time of a clock, but not to another question.
    if (!this.#judge.isReading || (isAsSame && !is(before, answer))) this.#judge.forgetTold()
    this.#answers.set(thing, [args, answer])
    return answer
  }

  /** The object for a function that the code calls. */
  #selfFor(thing, self) {
    if (isProxy(thing) || this.#judge.intrinsics?.isOfScript(thing)) return self
    const isMethod = isThing(self) && !this.#judge.isOfOther(self) && this.#hasMethod(self, thing)
    if (/^set\b/.test(functionName(thing)) && !isMethod && !INTRINSICS.has(thing)) this.#judge.unverified('the code sets a property of Node in the process of the judge')
    if (!isThing(self) || isMethod || functionName(thing).startsWith('bound ')) return self
    // Functions of Node trust their objects.
    this.#judge.doubt ??= 'the code calls a function of Node with an object of another kind'
    return undefined
  }

  /** Whether a function of Node is a method or a getter of an object, or one of the language. */
  #hasMethod(self, thing) {
    if (INTRINSICS.has(thing)) return true
    for (let at = self; at !== null && !isProxy(at); at = getPrototypeOf(at)) {
      const fields = ownKeys(at).map((key) => getOwnPropertyDescriptor(at, key))
      if (fields.some(({ value, get }) => value === thing || get === thing)) return true
    }
    return false
  }

  /** What `this` is in a function of the script: without an object it is the global object, which has what the script defines. */
  selfOf(thing) {
    if (thing !== globalThis) return thing
    if (this.#answering > 0) this.#judge.doubt ??= 'the code calls a function of the script without its object'
    const refuse = () => this.#judge.unverified('a function of the script, called without its object, has the global object of another process')
    const traps = ['get', 'set', 'has', 'ownKeys', 'getPrototypeOf', 'setPrototypeOf', 'defineProperty', 'deleteProperty', 'getOwnPropertyDescriptor', 'isExtensible', 'preventExtensions']
    return new Proxy({}, Object.fromEntries(traps.map((name) => [name, refuse])))
  }

  /** Has the code not pass what it could have functions of the script or of Node call or change. A mixin may answer with a prototype. */
  checkGiven(thing, isAnswer) {
    if (this.#judge.isOfOther(thing)) return
    if (!isAnswer && isPrototype(thing)) this.#judge.unverified('the code passes a prototype to a function of the script')
    if (this.#isEnding(thing)) this.#judge.unproven ??= `the code passes ${functionName(thing)} of a test of the script`
  }

  /** Notices a function of the script that has another one in its place, after the code has called the script. */
  noteReplaced(thing) {
    if (this.#judge.isOfOther(thing) || !this.#judge.intrinsics?.isOfScript(thing)) this.#judge.unproven ??= 'a function of the script changes a method of an object for the code'
  }

  /** Whether something is a method by which a test of the script decides how it ends. */
  #isEnding(thing) {
    return typeof thing === 'function' && !isProxy(thing) && ENDING.includes(functionName(thing)) && !this.#judge.isOfOther(thing) && !this.#judge.intrinsics?.isOfScript(thing)
  }

  #whileAnswering(work) {
    this.#answering++
    try {
      return work()
    } finally {
      this.#answering--
    }
  }

  /** What an instrumented script calls with what a function throws that judges what it is given. Returns it. */
  noteThrown(error, isLater = false) {
    if (isThing(error)) this.#failures.add(error)
    else if (isLater || this.#answering > 0) this.#noteSwallowed()
    return error
  }

  /** Does what such a function does, if that is an expression. */
  reporting(work) {
    try {
      return work()
    } catch (error) {
      throw this.noteThrown(error)
    }
  }

  /** The code gets an error of the script's, which it can hide, or learn from. */
  noteGiven(error) {
    if (this.#failures.has(error)) this.#noteSwallowed()
  }

  #noteSwallowed() {
    this.#judge.unproven ??= 'the code gets an error by which a callback of the script judges'
  }
}

/** Whether an object is the prototype of a class. Executes nothing. */
function isPrototype(thing) {
  if (!isObject(thing)) return false
  const kind = getOwnPropertyDescriptor(thing, 'constructor')?.value
  return typeof kind === 'function' && !isProxy(kind) && propertyOf(kind, 'prototype') === thing
}
