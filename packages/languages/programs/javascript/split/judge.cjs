// Asks the code's process, and decides what its answers mean.
const assert = require('node:assert')
const util = require('node:util')
const { EventEmitter } = require('node:events')
const { isDeepStrictEqual } = util
const { setImmediate, setTimeout, clearTimeout, clearImmediate } = globalThis

/** Functions that are globals because the global object inherits them. */
const INHERITED = ['toString', 'toLocaleString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable']
/** Globals by which a script judges; the code's variables of these names do not count, unless the script means nothing else. */
const TRUSTED = new Set([...ownKeys(globalThis), ...INHERITED].filter((key) => typeof key === 'string'))
/** Classes of Node whose objects do not show what they are. */
const OPAQUE = 'URL URLSearchParams Headers Request Response FormData Blob File TextEncoder TextDecoder AbortSignal'.split(' ')
/** The prototypes of timers. */
const TIMERS = [setTimeout(() => {}), setImmediate(() => {})].map((timer) => {
  clearTimeout(timer)
  clearImmediate(timer)
  return getPrototypeOf(timer)
})
/** Modules whose functions are the same everywhere. */
const MODULES = ['assert', 'util', 'path', 'url', 'querystring', 'string_decoder', 'buffer', 'crypto']
/** Pauses between the turns of the code while the script has timers of its own: with timers of the code, and without. */
const PAUSE_MS = 2
const LONGEST_PAUSE_MS = 16
/** Maximum number of remembered numbers, and of items of an iterator. */
const MAX_NUMBERS = 32
const MAX_REMEMBERED = 10_000
/** A turn without timers. */
const NO_TIMERS = -1
// Of the errors of the code; its process need not load that module.
PROTOTYPES.set('AssertionError', assert.AssertionError.prototype)

class Judge extends Peer {
  /** What shows that objects of the code are equal. */
  #proofs = new Proofs(this)
  /** Objects that the script may have made of what it expects. */
  #expected = new Expected(this, this.#proofs)
  /** Functions of the code by which a property or a conversion tells a value. */
  #getters = new WeakSet()
  /** What they told since the last call of anything else. */
  #told = new Told((reason) => this.unverified(reason))
  /** Whether the code tells a property or a name now, and of which object. */
  #isReading = false
  #reader = undefined
  /** Whether the code makes an object. */
  #isMaking = false
  /** Objects that the code tells in a call, until it is known whether it makes them of the arguments. */
  #held = undefined
  /** Whether an iterator of the code takes a step. */
  #isStepping = false
  /** Names of the properties that the script reads. */
  readProperties = new Set()
  /** Whether lists of values pass, with more than what the code tells. */
  #isPacked = false
  /** What functions of the script were asked last, and what they answered. */
  #answers = new WeakMap()
  /** Whether the code may have something to do, since its last turn. */
  #isBehind = false
  /** Objects of which the other process has no more than a copy. */
  #forgotten = new WeakSet()
  /** Objects that the script has had made, and that no method has returned. */
  #own = new WeakSet()
  /** Functions that a property told → the function that told them. */
  #toldBy = new WeakMap()
  /** Functions that a proxy told → their names. */
  #toldNames = new WeakMap()
  /** Objects that the code has told as parts of others. */
  #parts = new WeakSet()
  /** What the names that the script uses stand for, unless the code has passed it since. */
  named = new WeakSet()
  /** The last numbers that functions of the code answered: the functions, their objects and arguments, and the numbers. */
  numberAnswers = []
  /** Iterators → what they have given. */
  #runs = new WeakMap()
  /** Objects → what the first iterator has given since the code was called. */
  #firstRuns = new Map()
  /** Functions among what they stand for → a name. */
  functions = new Map()
  /** Whether the code has passed something with a method `then` that is no promise. */
  #hasThenable = false
  #guards = new WeakSet()
  /** Callbacks of one call of `then`. */
  #thens = new Set()
  /** Number of functions of the script that the code calls now. */
  #answering = 0
  #isStringifying = false
  #isComparing = false
  #jsonFunctions = new WeakSet()
  /** What functions of the script threw that judge what they are given. */
  #failures = new WeakSet()
  #reasons = {}
  /** What the language defines, once the script runs. */
  intrinsics = undefined
  /** Whether the script may have a name from the code by which it reaches that. */
  #mayReach = false
  /** Whether an assertion failed in a function of the script that the code called. */
  hasEscaped = false
  /** What the code must not have. */
  opaqueThings = new Set()
  /** Objects of the script of which an assertion calls one field and reads another one. */
  rows = new WeakSet()
  /** Constants of the code → their names. */
  constants = new Map()
  /** Whether the script keeps what it finds in objects. */
  keepsResults = false
  /** Texts and numbers with which the script compares something. */
  comparedLiterals = new Set()

  constructor(channel, finish) {
    const lent = new Set()
    const guards = new WeakSet()
    super(channel, operationsOn(lent, (error, isAhead) => this.escape(error, isAhead), () => this.#noteDerived()), {
      skipped: guards,
      describe: (thing) => {
        // Spies are often proxies: what they do is the script's.
        if (typeof thing === 'function' && isProxy(thing)) return ['function', '', 0, false]
        if (isTimer(thing)) return ['symbol', 'timer']
      },
      forgotten: (thing) => typeof thing === 'object' && this.#forgotten.add(thing),
      output: (text) => this.print(text),
      onSettled: () => this.#fallsBehind(),
      lend: (thing, kind) => this.check(thing, kind),
      filled: (thing, kind) => {
        if (kind === 'proxy') return
        this.guard(thing)
        this.#expected.notePassed(thing)
        if (!this.#isTelling) return
        if (this.#held === undefined) this.#expected.noteContent(thing)
        else this.#held.push(thing)
      },
      internal: (thing) => thing instanceof EventEmitter,
      stepped: (iterator, step) => this.#noteStep(iterator, step),
      changing: () => this.#told.clear(),
      changed: (thing, before, now) => {
        const isTold = this.#isReading && thing !== this.#reader && this.#told.has(thing)
        if (isTold) this.unverified('a property tells an object that changes')
        if (this.#isReading || this.#isStepping) this.#checkFields(before, now)
        this.#proofs.noteChanged(thing)
        this.#expected.noteChanged(thing)
        this.#checkKept(thing)
      },
      // Reading a property does not count: comparisons do that, too.
      passed: (thing) => {
        if (typeof thing !== 'object' || this.#isReading) return
        this.#proofs.notePassed(thing)
        this.#expected.noteUsed(thing)
      },
      told: (thing, isPart) => this.#noteTold(thing, isPart),
      given: (thing, isAnswer) => this.#checkGiven(thing, isAnswer),
      replaced: (thing) => this.#noteReplaced(thing),
      tampered: () => this.unverified('the code changed a function or a class of the script, or what they keep'),
      subclassed: (derived, base) => {
        this.doubt ??= 'the code does not see the methods of a class of the script'
        if (overrides(derived, base)) this.unproven ??= this.doubt
      },
      raised: (error) => {
        this.escape(error)
        this.#noteGiven(error)
      },
      tooLarge: () => this.unverified('an iterator has no end'),
      text: (text) => {
        this.#mayReach ||= text.split('.').some((name) => REACHES.has(name))
      },
      knows: (kind) => {
        if (kind === 'ask') this.unverified('the code passes a constructor of the language to a function of the script')
        this.#mayReach = true
      },
      proxy: (_, type) => this.proxy(type),
    })
    this.lent = lent
    this.log = console.log
    this.#guards = guards
    this.finish = finish
    this.#watchOperations()
    const { call } = this.operations
    this.operations.call = (thing, self, ...args) => {
      if (this.#isEnding(thing)) this.unproven ??= `the code calls ${thing.name} of a test of the script`
      for (const group of this.#thens) if (group.includes(thing)) this.#thens.delete(group)
      this.#noteValues(args)
      const answer = this.#whileAnswering(() => call(thing, this.#selfFor(thing, self), ...args))
      const [question = args, before = answer] = this.#answers.get(thing) ?? []
      const isAsSame = question.length === args.length && question.every((each, at) => is(each, args[at]))
      // What the script says can change what properties tell, such as the time of a clock, but not to another question.
      if (!this.#isReading || (isAsSame && !is(before, answer))) this.#told.clear()
      this.#answers.set(thing, [args, answer])
      return answer
    }
    this.hide(fs)
    const forbidden = [globalThis, process, console, eval, Function, Reflect, assert, assert.strict, util.inherits]
    for (const each of [...forbidden, process.exit, process.reallyExit, process.abort, process.kill]) this.opaqueThings.add(each)
  }

  /** Why a failure may not be the code's, once the script did what split judging cannot. */
  get doubt() {
    return this.#reasons.doubt
  }

  set doubt(reason) {
    this.#reasons.doubt = located(reason)
  }

  /** Why it is not clear what the script asked. */
  get unclear() {
    return this.#reasons.unclear
  }

  set unclear(reason) {
    this.#reasons.unclear = located(reason)
  }

  /** Why the script may have asked the code to judge itself. */
  get unproven() {
    return this.#reasons.unproven
  }

  set unproven(reason) {
    this.#reasons.unproven = located(reason)
  }

  /** The code makes an object of a class that it derives from one of the script: the script has only its own part of it. */
  #noteDerived() {
    this.unproven ??= 'the code extends a class of the script'
    this.doubt ??= this.unproven
  }

  /** Has everything that the code asks for leave what the language defines as it is. */
  #watchOperations() {
    for (const [name, operation] of Object.entries(this.operations)) {
      this.operations[name] = (...args) => {
        if (name === 'next' && args[1] > 1) this.doubt ??= 'the code takes values of an iterator of the script ahead'
        try {
          return operation(...args)
        } finally {
          this.#checkIntrinsics()
        }
      }
    }
  }

  /** Only if the script may have changed something: a look takes a quarter of a millisecond. */
  #checkIntrinsics() {
    if (this.#mayReach && this.intrinsics?.hasChanged) this.unverified(CHANGES_LANGUAGE)
  }

  /** The object for a function that the code calls. */
  #selfFor(thing, self) {
    if (isProxy(thing) || this.intrinsics?.isOfScript(thing)) return self
    const isMethod = isThing(self) && !this.isOfOther(self) && this.#hasMethod(self, thing)
    if (/^set\b/.test(thing.name) && !isMethod && !INTRINSICS.has(thing)) this.unverified('the code sets a property of Node in the process of the judge')
    if (!isThing(self) || isMethod || thing.name.startsWith('bound ')) return self
    // Functions of Node trust their objects.
    this.doubt ??= 'the code calls a function of Node with an object of another kind'
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
    if (this.#answering > 0) this.doubt ??= 'the code calls a function of the script without its object'
    const refuse = () => this.unverified('a function of the script, called without its object, has the global object of another process')
    const traps = ['get', 'set', 'has', 'ownKeys', 'getPrototypeOf', 'setPrototypeOf', 'defineProperty', 'deleteProperty', 'getOwnPropertyDescriptor', 'isExtensible', 'preventExtensions']
    return new Proxy({}, Object.fromEntries(traps.map((name) => [name, refuse])))
  }

  /** Has the code not pass what it could have functions of the script or of Node call or change. A mixin may answer with a prototype. */
  #checkGiven(thing, isAnswer) {
    if (this.isOfOther(thing)) return
    if (!isAnswer && isPrototype(thing)) this.unverified('the code passes a prototype to a function of the script')
    if (this.#isEnding(thing)) this.unproven ??= `the code passes ${thing.name} of a test of the script`
  }

  /** Notices fields that the script reads, and that change when it reads other ones, or goes through the items of an object. */
  #checkFields(before, now) {
    const known = valuesIn(before)
    for (const [key, value] of valuesIn(now)) {
      const was = known.get(key)
      const isOther = was !== undefined && was !== null && !isThing(was) && !is(was, value)
      if (isOther && this.readProperties.has(key)) this.unproven ??= `${String(key)} of an object changes although nothing was called`
    }
  }

  /** Notices a function of the script that has another one in its place, after the code has called the script. */
  #noteReplaced(thing) {
    if (this.isOfOther(thing) || !this.intrinsics?.isOfScript(thing)) this.unproven ??= 'a function of the script changes a method of an object for the code'
  }

  /** Whether something is a method by which a test of the script decides how it ends. */
  #isEnding(thing) {
    return typeof thing === 'function' && !isProxy(thing) && ENDING.includes(thing.name) && !this.isOfOther(thing) && !this.intrinsics?.isOfScript(thing)
  }

  #whileAnswering(work) {
    this.#answering++
    try {
      return work()
    } finally {
      this.#answering--
    }
  }

  /** Has the code get nothing of a module: its functions would do in this process what it asks for. */
  hide(module) {
    const values = ownKeys(module).map((key) => getOwnPropertyDescriptor(module, key).value)
    for (const each of [module, ...values.filter(isThing)]) this.opaqueThings.add(each)
  }

  /** What an instrumented script calls with an object of which it calls one field and reads another one. */
  noteRow(thing) {
    if (isObject(thing)) this.rows.add(thing)
    return thing
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
  #noteGiven(error) {
    if (this.#failures.has(error)) this.#noteSwallowed()
  }

  #noteSwallowed() {
    this.unproven ??= 'the code gets an error by which a callback of the script judges'
  }

  unverified(reason) {
    this.finish('unverified', located(reason))
  }

  ask(operation, ...values) {
    this.#checkIntrinsics()
    const outer = this.#isPacked
    const wasStepping = this.#isStepping
    this.#isPacked = operation === 'next' || operation === 'turn'
    this.#isStepping ||= operation === 'next' || (operation === 'method' && values[1] === 'next')
    try {
      const answer = this.#expected.withoutTraps(() => super.ask(operation, ...values))
      if (operation === 'next') checkLists(answer, answer?.[0])
      if (operation === 'turn') checkLists(answer, answer?.[1], answer?.[2])
      if (this.#isPacked) this.#noteValues([operation === 'next' ? answer[0] : answer[1].filter((_, at) => at % 3 === 2)])
      // Changes after the last question do not matter.
      if (operation !== 'turn' && this.forgotten.hasChangedYet(this.hooks.skipped)) this.#noteStale()
      return answer
    } catch (error) {
      if (error instanceof TooLarge) this.unverified('a value is larger than the judge takes')
      if (error instanceof Ended) this.finish('lost', '')
      if (typeof error === 'object' && error !== null && util.types.isNativeError(error)) showCaller(error)
      throw error
    } finally {
      this.#isPacked = outer
      this.#isStepping = wasStepping
    }
  }

  /** Has the end tell whether either process has changed what is no longer shared. */
  lookAtForgotten() {
    this.#lookAtState()
    if (this.forgotten.isFull) this.unproven ??= 'more objects are no longer shared than can be watched'
    if (this.forgotten.isEmpty) return
    if (!this.forgotten.isWatched && this.forgotten.hasChanged(this.hooks.skipped)) this.#noteStale()
    try {
      if (super.ask('stale') === true) this.#noteStale()
    } catch {
      this.#noteGone()
    }
  }

  /** Has a script not pass if its calls have changed the process of the code, at which the script could look in its own. */
  #lookAtState() {
    try {
      const name = super.ask('state')
      if (typeof name === 'string') this.unproven ??= `the code has changed ${name} in its process`
    } catch {
      this.#noteGone()
    }
  }

  #noteGone() {
    this.unproven ??= 'the process of the code has ended before the judge could look at it'
  }

  #noteStale() {
    this.unproven ??= 'an object has changed that is no longer shared'
    this.doubt ??= this.unproven
  }

  print(text) {
    if (typeof text !== 'string' || text === '') return
    if (console.log === this.log) {
      process.stdout.write(text)
      return
    }
    // A script that replaces the method wants to see what the code prints; what it was given is not known.
    this.doubt = 'the script replaces console.log, which gets whole lines of what the code prints'
    for (const line of text.replace(/\n$/, '').split('\n')) console.log(line)
  }

  /** An assertion of the script failed in a call from the code, which must neither see nor catch it. */
  escape(error, isAhead = false) {
    if (!(error instanceof assert.AssertionError)) return
    if (isAhead) this.unverified('an assertion fails in values that the code may not use')
    this.hasEscaped = true
    this.finish('assertion', error)
  }

  /** Whether the code may have something of the script's. */
  check(thing, kind) {
    const isForgotten = (typeof thing === 'object' || typeof thing === 'function') && this.#forgotten.has(thing)
    this.forgotten.drop(thing)
    if (isForgotten) this.doubt ??= 'the code no longer has some of the objects that the script passes again'
    const isRefused = kind === 'proxy' || this.opaqueThings.has(thing) || REFUSED.has(thing) || thing instanceof WeakMap || thing instanceof WeakSet
    if (isRefused) this.unverified('an argument has no plain value')
    if (kind !== 'error') return
    this.escape(thing)
    this.#noteGiven(thing)
  }

  call(thing, self, args) {
    return this.#guarded(() => this.#call(thing, self, args))
  }

  /** Does something, which throws what the code throws. If the judge fails by itself, no script may take that for the code's error. */
  #guarded(work) {
    try {
      return work()
    } catch (error) {
      if (this.raised.length === 0 || !is(error, this.raised[0])) this.unverified('a value is too much for the judge')
      throw error
    }
  }

  #call(thing, self, args) {
    this.#fallsBehind()
    if (this.#isTable(self, thing)) {
      self = undefined
      this.doubt ??= 'the code does not see the object of the script that holds its function'
    }
    const isJson = this.#jsonFunctions.has(thing) || (isObject(self) && this.#isAt(self, 'toJSON', thing))
    if (this.#isStringifying && isJson) this.unverified('only the code could tell what an object is as JSON')
    const isGetter = this.#getters.has(thing)
    if ((this.#isComparing && !isGetter) || this.#isQuery(thing, self, args)) {
      this.unverified(`only the code could tell what its method ${thing.name} says`)
    }
    if (isThing(self) && this.#isAt(self, 'then', thing)) {
      this.#thens.add(args.filter((each) => typeof each === 'function'))
    }
    if (typeof self === 'function' && this.#isAt(self, Symbol.hasInstance, thing)) {
      this.unverified('only the code could tell what an instance is')
    }
    const isStep = isThing(self) && (this.#isAt(self, Symbol.iterator, thing) || (this.#runs.has(self) && this.#isAt(self, 'next', thing)))
    if (!isGetter && !isStep) this.#firstRuns.clear()
    if (!isGetter) {
      this.#told.clear()
      this.#proofs.noteCalled(self, isThing(self) && this.#isAt(self, 'equals', thing))
    }
    const { next } = this
    const unused = this.#expected.unused(self)
    if (!isGetter) this.#expected.noteUsed(self)
    const isOwn = this.#own.has(self)
    const isFirstUse = !isGetter && this.#proofs.noteUsed(self)
    const ask = () => super.call(thing, self, args)
    const value = isGetter ? this.#read(self, ask) : this.#makeOrFind({ thing, self, args, ask }, (made) => this.numbers.get(made) >= next)
    // Methods that can be chained.
    if (isOwn && value === self) this.#own.add(self)
    // What tells a plain value has not used the object.
    const isTold = value !== undefined && (!isThing(value) || (isObject(value) && describe(value)[0] === 'array'))
    if (args.length === 0 && isTold) this.#restoreUnused(self, unused, isFirstUse && typeof value === 'boolean')
    this.#noteAnswer({ thing, self, args, value }, isGetter, unused?.since)
    if (isGetter && (args.length === 0 || typeof args[0] === 'string')) this.#told.compare(thing, self, value, args[0])
    if (isGetter && typeof value === 'function') this.#toldBy.set(value, thing)
    this.#checkAnswer(thing, self, args, value)
    return value
  }

  #restoreUnused(thing, unused, isFirstUse) {
    this.#expected.restoreUnused(thing, unused)
    if (isFirstUse) this.#proofs.forgetUse(thing)
  }

  /** Asks a function of the code, which can make an object of plain values as a constructor does. */
  #makeOrFind({ thing, self, args, ask }, isNew) {
    const outer = this.#held
    const held = []
    this.#held = held
    let isMade = false
    let isCopy = false
    let value
    try {
      value = this.#proofs.answer(ask, self, args)
      const isStatic = self === undefined || (typeof self === 'function' && this.named.has(self))
      isMade = isStatic && isObject(value) && this.isOfOther(value) && isNew(value) && this.#expected.isMadeOf(value, args, thing)
      isCopy = isMade && this.#expected.isCopyOf(value, args)
    } finally {
      this.#held = outer
      if (!isCopy) for (const each of held) this.#expected.noteContent(each)
    }
    if (!isCopy) this.#noteValues([value])
    if (isMade) this.#expected.noteMade(value, args, true)
    return value
  }

  #noteAnswer({ thing, self, args, value }, isGetter, unusedSince) {
    const isOwn = this.#own.has(self)
    if (isGetter && !isOwn) this.#noteValues([value])
    if (isThing(self)) this.#expected.noteAnswer({ thing, self, args, value }, unusedSince, isOwn)
    if (typeof value === 'number') this.numberAnswers.push({ thing, self: this.#told.firstOf(self), args, value })
    if (this.numberAnswers.length > MAX_NUMBERS) this.numberAnswers.shift()
    if (isThing(self) && this.#isAt(self, Symbol.iterator, thing) && isObject(value)) this.#begin(value, self)
    if (isObject(self) && !(self instanceof RemoteIterator) && this.#runs.has(self) && this.#isAt(self, 'next', thing)) this.#noteStep(self, value)
  }

  /** Whether an object of the script holds a function under test, and may hold what is expected, too. */
  #isTable(self, thing) {
    if (!isObject(self) || this.numbers.has(self) || !(this.functions.has(thing) || this.rows.has(self))) return false
    const owners = [self, getPrototypeOf(self)].filter((each) => each !== null && !PROTOTYPE_NAMES.has(each))
    return owners.flatMap(fieldsOf).includes(thing)
  }

  /** Has an object give no answer that is what the script expects, where only the code could tell whether it is right. */
  #checkAnswer(thing, self, args, value) {
    if (!isThing(self) || args.length === 0) return
    const isOwn = this.#own.has(self)
    const isEcho = (name, given) =>
      !isOwn && this.#isAt(self, name, thing) && given.some((each) => isDeepStrictEqual(listed(each), listed(value)))
    if (ECHOES.some((name) => isEcho(name, args)) || (args.length > 1 && isEcho('get', args.slice(1)))) {
      this.unverified(`only the code could tell what its method ${thing.name} says`)
    }
    if (value && this.#isAt(self, 'equals', thing) && isThing(args[0])) {
      if (isProxy(args[0]) || !isDeepStrictEqual(self, args[0])) this.unverified('only the code could tell whether two of its objects are equal')
      if (!this.#proofs.isMade(self) || !this.#proofs.isMade(args[0])) this.#proofs.compare(self, args[0])
      else if (!this.#proofs.areAsMade(self, args[0])) this.unverified('only the code could tell whether two objects are equal by now')
    }
  }

  /** An object of the script must keep what the script sets. */
  #checkKept(thing) {
    if (this.isOfOther(thing) || isProxy(thing)) return
    const fields = ownKeys(thing).map((key) => getOwnPropertyDescriptor(thing, key))
    const isFixed = !isExtensible(thing) || fields.some(({ writable }) => writable === false)
    const hasGetter = fields.some(({ get }) => this.isOfOther(get))
    if (hasGetter || (this.keepsResults && isFixed)) this.unproven ??= 'the code decides what an object of the script keeps'
  }

  #begin(iterator, owner) {
    const run = { owner, items: [], given: 0, isOver: false }
    run.first = this.#firstRuns.get(owner) ?? run
    this.#firstRuns.set(owner, run.first)
    this.#runs.set(iterator, run)
  }

  /** An object must not say that it has more items than a loop sees, nor give another loop others, although nothing was called. */
  #noteStep(iterator, step) {
    const run = this.#runs.get(iterator)
    if (run === undefined || !isObject(step)) return
    const { owner, first } = run
    const isCompared = first !== run && this.#firstRuns.get(owner) === first
    const differs = () => {
      this.unproven ??= 'an object gives a loop other items than another loop'
    }
    if (propertyOf(step, 'done') === true) {
      run.isOver = true
      if (isCompared && first.isOver && first.given !== run.given) differs()
      const count = isProxy(owner) ? owner.length : countOf(owner)
      if (count > run.given) this.unproven ??= `an object gives ${run.given} items, and says that it has ${count}`
      return
    }
    const value = propertyOf(step, 'value')
    if (isCompared && run.given < first.items.length && !isThing(value) && !is(first.items[run.given], value)) differs()
    if (run === first && run.given < MAX_REMEMBERED) run.items.push(value)
    run.given++
  }

  /** Takes note of what the code told without content. */
  #noteValues(values) {
    if (!this.#expected.isEmpty) this.#expected.noteTold(values.flatMap(plainValuesOf))
  }

  /** Whether what the code tells now can be what it knows from an object of the script. */
  get #isTelling() {
    if (this.#expected.isEmpty || this.#isMaking || this.#isPacked) return false
    return !this.#isReading || (this.#reader !== undefined && !this.#own.has(this.#reader))
  }

  /** Whether a function is a method of that name, or what a property of that name told. */
  #isAt(self, name, thing) {
    if (isProxy(self)) return this.#toldNames.get(thing)?.has(name) === true
    if (propertyOf(self, name) === thing) return true
    const get = this.#toldBy.get(thing)
    return get !== undefined && accessorOf(self, name) === get
  }

  /** Whether an object would judge itself, and not one of a class that the script tests. */
  #isQuery(thing, self, args) {
    if (!isThing(self)) return false
    const isExempt = typeof self === 'function' ? this.named.has(self) : this.#own.has(self) || this.#isFinder(self, thing, args)
    if (isExempt) return false
    const [kind, type] = describe(self)
    const names = [...(['object', 'function', 'proxy'].includes(kind) ? QUERIES : BUILT_IN_QUERIES), ...PATTERNS]
    if (args.some(isRegExp)) names.push(...TEXT_QUERIES)
    if (args.some((each) => ArrayBuffer.isView(each))) names.push(...BYTES_QUERIES)
    const methods = METHODS.get(kind === 'bytes' ? type : BUILT_IN_KINDS[kind]) ?? []
    return [...names, ...methods].some((name) => this.#isAt(self, name, thing)) || methods.some((name) => accessorOf(self, name) === thing)
  }

  /** Whether a method has the script's function choose items, and is one of a class that the script tests. */
  #isFinder(self, thing, args) {
    return typeof args[0] === 'function' && FINDERS.some((name) => this.#isAt(self, name, thing)) && this.#isOfNamedClass(self)
  }

  /** Whether an object is an instance of a class that the script names. */
  #isOfNamedClass(thing) {
    if (!isObject(thing)) return false
    const prototype = getPrototypeOf(thing)
    return [...this.functions].some(([each, name]) => name !== undefined && propertyOf(each, 'prototype') === prototype)
  }

  /** Takes note of an object that the code passes: it can mean another one than the script had made. */
  #noteTold(thing, isPart) {
    this.#own.delete(thing)
    if (isPart) this.#parts.add(thing)
    else this.named.delete(thing)
  }

  /** Asks the code for a property or a name. */
  #read(reader, ask) {
    const outer = [this.#isReading, this.#reader]
    ;[this.#isReading, this.#reader] = [true, reader]
    try {
      return ask()
    } finally {
      ;[this.#isReading, this.#reader] = outer
    }
  }

  /** What a name of the code stands for. */
  readName(name) {
    const value = this.#read(undefined, () => this.ask('name', name))
    this.#told.compare(this, undefined, value, name)
    return value
  }

  assignName(name, value) {
    this.#told.clear()
    this.ask('assign', name, value)
  }

  construct(thing, args) {
    return this.#guarded(() => this.#makeInstance(thing, args))
  }

  #makeInstance(thing, args) {
    this.#fallsBehind()
    this.#told.clear()
    const { next } = this
    const isNew = (made) => this.numbers.get(made) >= next
    const made = this.#proofs.make(() => this.#construct(thing, args), args, isNew)
    if (isObject(made)) {
      if (isNew(made) && !this.#parts.has(made)) {
        this.#own.add(made)
        this.#expected.noteMade(made, args)
      }
      return made
    }
    const isOld = !isNew(made) && (typeof made === 'function' || isProxy(made))
    if (isOld && args.length > 0) this.unproven ??= 'a constructor gives one function or proxy for all'
    return made
  }

  #construct(thing, args) {
    const outer = this.#isMaking
    this.#isMaking = true
    try {
      return super.construct(thing, args)
    } finally {
      this.#isMaking = outer
    }
  }

  /** Has functions of the code tell what does not change: their accessors, and the values that operators ask for. */
  #guardFunction(thing) {
    for (const key of ownKeys(thing)) {
      const { get, value } = getOwnPropertyDescriptor(thing, key)
      if (get !== undefined) this.#getters.add(get)
      this.#guardKey(thing, key, value)
      if (typeof value !== 'function') continue
      if (CONVERSIONS.includes(key)) this.#getters.add(value)
      if (key === 'toJSON') this.#jsonFunctions.add(value)
    }
  }

  /** A built-in function as a method would answer here, where the code's own would be asked there. */
  #guardKey(thing, key, value) {
    if (key === 'then') this.#hasThenable = true
    if (typeof value !== 'function' || !isAsked(key) || this.isOfOther(value) || this.#guards.has(value)) return
    const answer = () => this.unverified(`only the code could tell what its method ${String(key)} says`)
    defineProperty(thing, key, { value: answer, configurable: true, writable: true, enumerable: false })
    this.#guards.add(answer)
  }

  /** Prepares an object of the code: no operator may have it converted by functions of the code. */
  guard(thing) {
    const isArrays = hasOwn(thing, Symbol.species) && Array.isPrototypeOf(thing)
    if (isArrays || (Array.isArray(thing) && hasOwn(thing, 'constructor'))) {
      this.unproven ??= 'the code chooses what the methods of its arrays return'
    }
    if (typeof thing === 'function') this.#guardFunction(thing)
    if (typeof thing === 'object') this.#guardObject(thing)
    this.#guardConversion(thing)
  }

  #guardObject(thing) {
    if (hasProxyBehind(thing)) this.unproven ??= 'a proxy of the code decides what an object inherits'
    this.#proofs.noteTold(thing, false)
    for (const key of ownKeys(thing)) {
      const { get, value } = getOwnPropertyDescriptor(thing, key)
      this.#guardKey(thing, key, value)
      if (get === undefined) continue
      if (isAsked(key)) {
        const answer = () => this.unverified(`only the code could tell what ${String(key)} is`)
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

  /** Has functions of the code tell no more than the text of an object. */
  #guardConversion(thing) {
    const own = CONVERSIONS.filter((key) => hasOwn(thing, key) && !this.#guards.has(thing[key]))
    if (own.length === 0) return
    const [toText, toPlain] = ['toString', Symbol.toPrimitive].map((key) => getOwnPropertyDescriptor(thing, key)?.value)
    for (const each of [toText, toPlain]) if (typeof each === 'function') this.#getters.add(each)
    const unverified = () => this.unverified('only the code could tell the plain value of an object')
    const convert = function (hint) {
      if (hint !== 'string') return unverified()
      return String(typeof toPlain === 'function' ? toPlain.call(this, hint) : this.toString())
    }
    this.#guards.add(convert)
    defineProperty(thing, Symbol.toPrimitive, { value: convert, configurable: true, writable: true, enumerable: false })
  }

  /** What stands for a proxy of the code. Its properties are questions; nothing else of it can be decided here. */
  proxy(type) {
    const undecided = () => this.unverified('only the code could tell what a proxy is equal to')
    const ask =
      (operation) =>
      (_, ...args) => {
        this.#told.clear()
        return this.ask(operation, handle, ...args)
      }
    // A function that can be called with new.
    const target = type === 'function' ? function () {} : type === 'array' ? [] : {}
    const handle = new Proxy(target, {
      get: (_, key) => {
        if (key === 'then') this.#hasThenable = true
        const isQuery = BUILT_IN_QUERIES.includes(key) || key === Symbol.hasInstance
        if (isQuery || (this.#isStringifying && key === 'toJSON')) undecided()
        const value = this.#read(handle, () => this.ask('get', handle, key))
        if (typeof value === 'function') {
          this.#toldNames.set(value, (this.#toldNames.get(value) ?? new Set()).add(key))
          const isConversion = key === 'valueOf' || key === Symbol.toPrimitive || PATTERNS.includes(key)
          return isConversion ? undecided : value
        }
        // Proxies are compared as they are used.
        const owner = this.#told.firstOf(handle)
        if (isProxy(value)) this.#told.alias(owner, key, value)
        else this.#told.compare(owner, undefined, value, key)
        this.#noteValues([value])
        return value
      },
      set: (_, key, value) => ask('set')(_, key, value) === true,
      has: undecided,
      deleteProperty: ask('delete'),
      apply: (_, self, args) => this.call(handle, self, args),
      construct: (_, args) => this.construct(handle, args),
      ownKeys: undecided,
      getOwnPropertyDescriptor: undecided,
      getPrototypeOf: undecided,
      setPrototypeOf: undecided,
      defineProperty: undecided,
    })
    this.#expected.notePassed(handle)
    return handle
  }

  /** Has a comparison refuse what only the code could decide. */
  compare(one, other, compare) {
    this.#isComparing = true
    let isEqual = false
    try {
      const result = this.#expected.withoutTraps(compare, [one, other], (entry) => entry.isByFunction)
      isEqual = result !== false
      if (isEqual) this.#proofs.compare(one, other)
      return result
    } finally {
      this.#checkOpaque(isEqual, [one, other])
      this.#isComparing = false
    }
  }

  /** Two values are the same, as the script expects. */
  noteSame(one, other) {
    if (one === other && isObject(one)) this.#proofs.checkSame(one)
  }

  /** Two values differ, as the script expects: they must show that. */
  noteDifference(one, other, isDeep) {
    const isOfProcess = [one, other].some((each) => each === globalThis || each === process || each === console)
    if (isOfProcess) this.unproven ??= 'each process has its own global object, process and console'
    if (![one, other].some((each) => this.isOfOther(each)) || (!isDeep && isThing(one) && isThing(other))) return
    if (isDeepStrictEqual(shownOf(one), shownOf(other))) this.unproven ??= 'two values differ, but show the same'
  }

  /** The code threw an error, for which the script has an error, a validation object, or a function. */
  noteExpectedError(error, expected) {
    const isClass = typeof expected === 'function' && isNativeError(propertyOf(expected, 'prototype') ?? {})
    const isOfErrors = isClass || (typeof expected === 'function' && Error.isPrototypeOf(expected))
    if (typeof expected === 'function' && this.isOfOther(expected) && !isOfErrors) {
      this.unverified(`only the code could tell what its function ${expected.name} says`)
    }
    if (typeof expected === 'function' || isProxy(expected)) return
    const pairs = isNativeError(expected) ? [[error, expected]] : ownKeys(expected).map((key) => [error?.[key], expected[key]])
    for (const [one, other] of pairs) if (isDeepStrictEqual(one, other)) this.#proofs.compare(one, other)
  }

  /** Some objects of Node keep what they are to themselves: they look equal, and those of two processes are of two classes. */
  #checkOpaque(isEqual, compared) {
    const opaque = compared.flatMap(partsOf).find((thing) => this.#isOpaque(thing))
    if (opaque === undefined || (isEqual && compared[0] === compared[1])) return
    const reason = `only ${opaque.constructor.name} itself could tell whether objects are equal`
    if (isEqual) this.unproven ??= reason
    else this.doubt ??= reason
  }

  /** Reads a class only if an object claims to be of it: Node takes 40 ms to load some of them. */
  #isOpaque(thing) {
    for (let at = thing; at !== null; at = getPrototypeOf(at)) {
      if (isProxy(at) || this.isOfOther(at)) continue
      const name = getOwnPropertyDescriptor(at, 'constructor')?.value?.name
      if (OPAQUE.includes(name) && at === globalThis[name]?.prototype) return true
    }
    return false
  }

  /** Has the conversion of a value to JSON refuse what only the code could decide. */
  stringify(value, convert) {
    if (this.#proofs.hidesSomething(value)) this.unverified('an object of the code does not show what it was made of')
    this.#isStringifying = true
    try {
      return convert()
    } finally {
      this.#isStringifying = false
    }
  }

  /** Shows an object to the script. */
  inspect(value, show) {
    return this.#expected.withoutTraps(show, [value])
  }

  /** Lets the code's timers and promises have their turn, and goes on as long as they do something. */
  takeTurn(ms) {
    // Time passes for the code's objects, too.
    this.#told.clear()
    this.#isBehind = false
    const [own, { answered }] = [this.takeSettled(), this]
    const [isAlive, settled, unhandled] = this.ask('turn', ms, own)
    // Two such promises can wait for each other, and so can the script.
    if (settled.some(isPromise)) this.unproven = 'a promise of the code settles with a promise'
    this.settle(settled)
    for (const each of unhandled) {
      if (!this.handled.has(each)) apply(Promise.prototype.then, each, [undefined, this.failed])
    }
    const isProgress = own.length > 0 || settled.length > 0 || this.answered > answered
    if ((isAlive === true && ms !== NO_TIMERS) || isProgress) setImmediate(() => {})
    // Where the code waits for promises of the script, each of its steps takes longer than in one process.
    if ((isAlive === true || own.length > 0) && this.hasTimers) this.doubt ??= 'the order of timers of the code and of the script is not known'
    return isAlive === true
  }

  /** What the code was asked for can have left work for later: it gets a turn before the script goes on with others. */
  #fallsBehind() {
    if (this.#isBehind) return
    this.#isBehind = true
    process.nextTick(() => this.catchUp())
  }

  catchUp() {
    if (this.#isBehind) this.takeTurn(NO_TIMERS)
  }

  /** Lets the code have its turns while the script waits for timers of its own. */
  watchTurns() {
    let pause = 1
    const wait = () => setTimeout(turn, pause).unref()
    const turn = () => {
      pause = this.takeTurn(0) ? PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS)
      wait()
    }
    wait()
  }

  /** Why the end of the script does not show that it passed; undefined if it does. */
  get openEnd() {
    if (this.#hasThenable && this.waits()) return 'the script waits for an object that is no promise'
    if (this.pending.size > 0 || this.#thens.size > 0) return 'a promise of the code never settles'
    // The test runner fails what never ends, and keeps promises of its own.
    if (!this.hasRunner && this.waits()) return 'the script waits for a call or a value that never comes'
  }
}

/** Whether an object inherits from a proxy. Executes nothing. */
function hasProxyBehind(thing) {
  let at = thing
  while (at !== null && !isProxy(at)) at = getPrototypeOf(at)
  return at !== null
}

/** How many items something says that it has; undefined if it does not say it. */
function countOf(list) {
  if (isProxy(list)) return undefined
  for (const key of ['length', 'size']) {
    const get = accessorOf(list, key)
    const count = get === undefined ? propertyOf(list, key) : apply(get, list, [])
    if (typeof count === 'number') return count
  }
  return undefined
}

/** A reason with the line of the script that is running, if there is one. Types that are removed can move lines. */
function located(reason) {
  const line = /\/script\.js:(\d+)/.exec(callersOf(located))?.[1]
  return line === undefined || reason.startsWith('line ') ? reason : `line ${line}: ${reason}`
}

/** The stack above a function, as text: deep enough for the script to be in it. */
function callersOf(called) {
  const here = {}
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 50
  Error.captureStackTrace(here, called)
  Error.stackTraceLimit = stackTraceLimit
  return here.stack
}

/** Refuses answers that are no lists where the other process answers with nothing else. */
function checkLists(...values) {
  const isList = (value) => Array.isArray(value) && getPrototypeOf(value) === Array.prototype && !hasOwn(value, Symbol.iterator)
  if (!values.every(isList)) throw new Ended()
}

/** Whether something is a timer of this process: the code gets no more than a token for it. */
function isTimer(thing) {
  return typeof thing === 'object' && !isProxy(thing) && TIMERS.includes(getPrototypeOf(thing))
}

/** Whether a class has a method in place of one of its base. Executes nothing. */
function overrides(derived, base) {
  for (let at = derived; typeof at === 'function' && at !== base; at = getPrototypeOf(at)) {
    const prototype = propertyOf(at, 'prototype')
    const keys = isObject(prototype) ? ownKeys(prototype).filter((key) => key !== 'constructor') : []
    if (keys.some((key) => key in (propertyOf(base, 'prototype') ?? {}))) return true
  }
  return false
}

/** What a value shows when it is printed, as lists: without symbols, accessors and the classes of lists and plain values. Executes nothing. */
function shownOf(value, outer = []) {
  if (!isObject(value) || outer.includes(value)) return value
  const within = [...outer, value]
  const kind = describe(value)[0]
  if (isBoxedPrimitive(value)) return unboxed(value)
  if (isDate(value)) return apply(Date.prototype.getTime, value, [])
  const items = itemsOf(value, kind).map((each) => shownOf(each, within))
  if (Array.isArray(value) || isMap(value) || isSet(value)) return items
  const fields = ownKeys(value).map((key) => [key, getOwnPropertyDescriptor(value, key)])
  const shown = fields.filter(([key, { enumerable, get }]) => typeof key === 'string' && enumerable && get === undefined)
  return [getPrototypeOf(value), ...items, ...shown.map(([key, field]) => [key, shownOf(field.value, within)])]
}

function unboxed(boxed) {
  for (const type of [String, Number, Boolean, BigInt]) {
    try {
      return apply(type.prototype.valueOf, boxed, [])
    } catch {}
  }
  return boxed
}

/** A set as a list of its items. */
function listed(value) {
  return isSet(value) ? itemsOf(value, 'set') : value
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !isProxy(value)
}

/** Whether an object is the prototype of a class. Executes nothing. */
function isPrototype(thing) {
  if (!isObject(thing)) return false
  const kind = getOwnPropertyDescriptor(thing, 'constructor')?.value
  return typeof kind === 'function' && !isProxy(kind) && propertyOf(kind, 'prototype') === thing
}
