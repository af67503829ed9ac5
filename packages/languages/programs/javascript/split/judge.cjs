// Asks the code's process, and decides what its answers mean.
const assert = require('node:assert')
const util = require('node:util')
const { EventEmitter } = require('node:events')
const { isDeepStrictEqual, inspect: inspectOfNode } = util
const { captureStackTrace } = Error
const { setImmediate, setTimeout, clearTimeout, clearImmediate } = globalThis

/** The prototypes of timers. */
const TIMERS = [setTimeout(() => {}), setImmediate(() => {})].map((timer) => {
  clearTimeout(timer)
  clearImmediate(timer)
  return getPrototypeOf(timer)
})
/** Maximum number of remembered numbers. */
const MAX_NUMBERS = 32
// Of the errors of the code; its process need not load that module.
PROTOTYPES.set('AssertionError', assert.AssertionError.prototype)

class Judge extends Peer {
  /** What shows that objects of the code are equal. */
  #proofs = new Proofs(this)
  /** Objects that the script may have made of what it expects. */
  #expected = new Expected(this, this.#proofs)
  /** What properties and names of the code told since the last call of anything else. */
  #told = new Told((reason) => this.unverified(reason))
  callbacks = new Callbacks(this)
  #iterations = new Iterations(this)
  #proxies = new Proxies(this, this.#told, this.#expected)
  #queries = new Queries(this, this.#proofs)
  #guards
  /** What the script compares, shows or converts. */
  comparisons = new Comparisons(this, this.#proofs, this.#expected)
  turns = new Turns(this)
  /** Whether the code tells a property or a name now, and of which object. */
  isReading = false
  #reader = undefined
  /** Whether the code makes an object. */
  #isMaking = false
  /** Objects that the code tells in a call, until it is known whether it makes them of the arguments. */
  #held = undefined
  /** Whether an iterator of the code takes a step. */
  #isStepping = false
  /** Whether lists of values pass, with more than what the code tells. */
  #isPacked = false
  /** Objects of which the other process has no more than a copy. */
  #forgotten = new WeakSet()
  /** Objects that the script has had made, and that no method has returned. */
  #own = new WeakSet()
  /** Functions that a property told → the function that told them. */
  #toldBy = new WeakMap()
  /** Objects that the code has told as parts of others. */
  #parts = new WeakSet()
  /** What the names that the script uses stand for, unless the code has passed it since. */
  named = new WeakSet()
  /** The last numbers that functions of the code answered: the functions, their objects and arguments, and the numbers. */
  numberAnswers = []
  /** Functions among what they stand for → a name. */
  functions = new Map()
  /** Whether the code has passed something with a method `then` that is no promise. */
  hasThenable = false
  #reasons = {}
  /** What the language defines, once the script runs. */
  intrinsics = undefined
  /** Whether the script may have a name from the code by which it reaches that. */
  #mayReach = false
  /** Whether the script has ended. */
  hasEnded = false
  /** Whether an assertion failed in a function of the script that the code called. */
  hasEscaped = false
  /** What the code must not have. */
  opaqueThings = new Set()
  /** Objects of the script of which an assertion calls one field and reads another one. */
  rows = new WeakSet()
  /** Constants of the code → their names. */
  constants = new Map()
  /**
   * What the text of the script shows: whether it uses a test runner, or timers; whether it keeps what it finds in objects; the names of
   * the properties that it reads; the texts and numbers with which it compares something.
   */
  script = { hasRunner: false, hasTimers: false, keepsResults: false, readProperties: new Set(), comparedLiterals: new Set() }

  constructor(channel, finish) {
    const lent = new Set()
    const guards = new WeakMap()
    super(channel, operationsOn(lent, (error, isAhead) => this.escape(error, isAhead), () => this.#noteDerived()), {
      originals: guards,
      describe: (thing) => {
        // Spies are often proxies: what they do is the script's.
        if (typeof thing === 'function' && isProxy(thing)) return ['function', false]
        if (isTimer(thing)) return ['symbol', 'timer']
      },
      forgotten: (thing) => typeof thing === 'object' && this.#forgotten.add(thing),
      output: (text) => this.print(text),
      onSettled: () => this.turns.fallBehind(),
      lend: (thing, kind) => this.check(thing, kind),
      filled: (thing, kind) => {
        if (kind === 'proxy') return
        this.#guards.guard(thing)
        this.#expected.notePassed(thing)
        if (!this.#isTelling) return
        if (this.#held === undefined) this.#expected.noteContent(thing)
        else this.#held.push(thing)
      },
      differs: () => {
        this.unproven ??= 'the judge could not make an object what it is in the process of the code'
      },
      internal: (thing) => thing instanceof EventEmitter,
      stepped: (iterator, step) => this.#iterations.noteStep(iterator, step),
      changing: () => this.forgetTold(),
      changed: (thing, before, now) => {
        // A getter that empties a list has it equal any other list of its length.
        if (this.comparisons.isComparing) this.unproven ??= 'an object changes while it is compared'
        const isTold = this.isReading && thing !== this.#reader && this.#told.has(thing)
        if (isTold) this.unverified('a property tells an object that changes')
        if (this.isReading || this.#isStepping) this.#checkFields(before, now)
        this.#proofs.noteChanged(thing)
        this.#expected.noteChanged(thing)
        this.#checkKept(thing)
      },
      // Reading a property does not count: comparisons do that, too.
      passed: (thing) => {
        if (typeof thing !== 'object' || this.isReading) return
        this.#proofs.notePassed(thing)
        this.#expected.noteUsed(thing)
      },
      told: (thing, isPart) => this.#noteTold(thing, isPart),
      given: (thing, isAnswer) => this.callbacks.checkGiven(thing, isAnswer),
      replaced: (thing) => this.callbacks.noteReplaced(thing),
      tampered: () => this.unverified('the code changed a function or a class of the script, or what they keep'),
      subclassed: (derived, base) => {
        this.doubt ??= 'the code does not see the methods of a class of the script'
        if (overrides(derived, base)) this.unproven ??= this.doubt
      },
      raised: (error) => {
        this.escape(error)
        this.callbacks.noteGiven(error)
      },
      tooLarge: () => this.unverified('an iterator has no end'),
      text: (text) => {
        this.#mayReach ||= text.split('.').some((name) => REACHES.has(name))
      },
      knows: (kind) => {
        if (kind === 'ask') this.unverified('the code passes a constructor of the language to a function of the script')
        this.#mayReach = true
      },
      proxy: (_, type) => this.#proxies.make(type),
    })
    this.lent = lent
    this.log = console.log
    this.#guards = new Guards(this, this.#proofs, guards)
    this.finish = finish
    this.callbacks.watch(this.operations)
    this.hide(fs)
    const { AssertionError } = assert
    const forbidden = [globalThis, process, console, eval, Function, Reflect, assert, assert.strict, AssertionError, AssertionError.prototype, util.inherits, inspectOfNode]
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

  /** Only if the script may have changed something: a look takes a quarter of a millisecond. */
  checkIntrinsics() {
    if (this.#mayReach && this.intrinsics?.hasChanged) this.unverified(CHANGES_LANGUAGE)
  }

  /** Notices fields that the script reads, and that change when it reads other ones, or goes through the items of an object. */
  #checkFields(before, now) {
    const known = valuesIn(before)
    for (const [key, value] of valuesIn(now)) {
      const was = known.get(key)
      const isOther = was !== undefined && was !== null && !isThing(was) && !is(was, value)
      if (isOther && this.script.readProperties.has(key)) this.unproven ??= `${String(key)} of an object changes although nothing was called`
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

  unverified(reason) {
    this.finish('unverified', located(reason))
  }

  ask(operation, ...values) {
    // What shows how the script ended asks the code nothing.
    if (this.hasEnded) throw new Error('the script has ended')
    this.checkIntrinsics()
    const outer = this.#isPacked
    const wasStepping = this.#isStepping
    this.#isPacked = operation === 'next' || operation === 'turn'
    this.#isStepping ||= operation === 'next' || (operation === 'method' && values[1] === 'next')
    try {
      const answer = ownAnswer(operation, this.#expected.withoutTraps(() => super.ask(operation, ...values)))
      if (this.#isPacked) this.noteValues([operation === 'next' ? answer[0] : answer[1].filter((_, at) => at % 3 === 2)])
      // Changes after the last question do not matter.
      if (operation !== 'turn' && this.forgotten.hasChangedYet(this.hooks.originals)) this.#noteStale()
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
    if (this.forgotten.isFull) this.unproven ??= 'more objects are no longer shared than can be watched'
    if (this.forgotten.isEmpty) return
    if (!this.forgotten.isWatched && this.forgotten.hasChanged(this.hooks.originals)) this.#noteStale()
    try {
      if (this.#expected.withoutTraps(() => super.ask('stale')) === true) this.#noteStale()
    } catch {
      this.#noteGone()
    }
  }

  /**
   * Has a script not pass if its calls have changed the process of the code, at which the script could look in its own. A script that
   * fails does not ask: code that is asked early would know that an answer was wrong.
   */
  lookAtState() {
    // What has changed could be put back in the answer.
    if (this.intrinsics?.hasChanged) this.unverified(CHANGES_LANGUAGE)
    try {
      const name = this.#expected.withoutTraps(() => super.ask('state'))
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
    this.callbacks.noteGiven(thing)
  }

  call(thing, self, args) {
    const given = args.map((each) => (each === inspectOfNode ? inspectForCode : each))
    return this.#guarded(() => this.#call(thing, self, given))
  }

  /** The code has nothing to ask before the script runs. */
  answer(operation, values) {
    if (this.intrinsics === undefined) throw new Ended()
    super.answer(operation, values)
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
    this.turns.fallBehind()
    if (this.#isTable(self, thing)) {
      self = undefined
      this.doubt ??= 'the code does not see the object of the script that holds its function'
    }
    const isJson = this.#guards.isOfJson(thing) || (isObject(self) && this.isAt(self, 'toJSON', thing))
    if (this.comparisons.isStringifying && isJson) this.unverified('only the code could tell what an object is as JSON')
    const isGetter = this.#guards.isGetter(thing)
    if (isGetter && isInFailure()) return undefined
    if ((this.comparisons.isComparing && !isGetter) || this.#queries.isQuery(thing, self, args)) {
      this.unverified(`only the code could tell what its method ${functionName(thing)} says`)
    }
    if (isThing(self) && this.isAt(self, 'then', thing)) {
      this.turns.noteThen(args.filter((each) => typeof each === 'function'))
    }
    if (typeof self === 'function' && this.isAt(self, Symbol.hasInstance, thing)) {
      this.unverified('only the code could tell what an instance is')
    }
    const isStep = isThing(self) && (this.isAt(self, Symbol.iterator, thing) || (this.#iterations.has(self) && this.isAt(self, 'next', thing)))
    if (!isGetter && !isStep) this.#iterations.clear()
    if (!isGetter) {
      this.#told.clear()
      this.#proofs.noteCalled(self, isThing(self) && this.isAt(self, 'equals', thing))
    }
    const { next } = this
    const unused = this.#expected.unused(self)
    if (!isGetter) this.#expected.noteUsed(self)
    const isOwn = this.#own.has(self)
    const isFirstUse = !isGetter && this.#proofs.noteUsed(self)
    const ask = () => super.call(thing, self, args)
    const value = isGetter ? this.read(self, ask) : this.#makeOrFind({ thing, self, args, ask }, (made) => this.numbers.get(made) >= next)
    // Methods that can be chained.
    if (isOwn && value === self) this.#own.add(self)
    // What tells a plain value has not used the object.
    const isTold = value !== undefined && (!isThing(value) || (isObject(value) && describe(value)[0] === 'array'))
    if (args.length === 0 && isTold) this.#restoreUnused(self, unused, isFirstUse && typeof value === 'boolean')
    this.#noteAnswer({ thing, self, args, value }, isGetter, unused?.since)
    if (isGetter && (args.length === 0 || typeof args[0] === 'string')) this.#told.compare(thing, self, value, args[0])
    if (isGetter && typeof value === 'function') this.#toldBy.set(value, thing)
    this.#queries.checkAnswer(thing, self, args, value)
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
    if (!isCopy) this.noteValues([value])
    if (isMade) this.#expected.noteMade(value, args, true)
    return value
  }

  #noteAnswer({ thing, self, args, value }, isGetter, unusedSince) {
    const isOwn = this.#own.has(self)
    if (isGetter && !isOwn) this.noteValues([value])
    if (isThing(self)) this.#expected.noteAnswer({ thing, self, args, value }, unusedSince, isOwn)
    if (typeof value === 'number') this.numberAnswers.push({ thing, self: this.#told.firstOf(self), args, value })
    if (this.numberAnswers.length > MAX_NUMBERS) this.numberAnswers.shift()
    if (isThing(self) && this.isAt(self, Symbol.iterator, thing) && isObject(value)) this.#iterations.begin(value, self)
    if (isObject(self) && !(self instanceof RemoteIterator) && this.#iterations.has(self) && this.isAt(self, 'next', thing)) this.#iterations.noteStep(self, value)
  }

  /** Whether an object of the script holds a function under test, and may hold what is expected, too. */
  #isTable(self, thing) {
    if (!isObject(self) || this.numbers.has(self) || !(this.functions.has(thing) || this.rows.has(self))) return false
    const owners = [self, getPrototypeOf(self)].filter((each) => each !== null && !PROTOTYPE_NAMES.has(each))
    return owners.flatMap(fieldsOf).includes(thing)
  }

  /** An object of the script must keep what the script sets. */
  #checkKept(thing) {
    if (this.isOfOther(thing) || isProxy(thing)) return
    const fields = ownKeys(thing).map((key) => getOwnPropertyDescriptor(thing, key))
    const isFixed = !isExtensible(thing) || fields.some(({ writable }) => writable === false)
    const hasGetter = fields.some(({ get }) => this.isOfOther(get))
    if (hasGetter || (this.script.keepsResults && isFixed)) this.unproven ??= 'the code decides what an object of the script keeps'
  }

  /** Takes note of what the code told without content. */
  noteValues(values) {
    if (!this.#expected.isEmpty) this.#expected.noteTold(values.flatMap(plainValuesOf))
  }

  /** Whether what the code tells now can be what it knows from an object of the script. */
  get #isTelling() {
    if (this.#expected.isEmpty || this.#isMaking || this.#isPacked) return false
    return !this.isReading || (this.#reader !== undefined && !this.#own.has(this.#reader))
  }

  /** Whether a function is a method of that name, or what a property of that name told. */
  isAt(self, name, thing) {
    if (isProxy(self)) return this.#proxies.hasTold(thing, name)
    if (propertyOf(self, name) === thing) return true
    const get = this.#toldBy.get(thing)
    return get !== undefined && accessorOf(self, name) === get
  }

  /** Whether the script has had an object made, and no method has returned it. */
  isOwn(thing) {
    return this.#own.has(thing)
  }

  /** What the code told may have changed. */
  forgetTold() {
    this.#told.clear()
  }

  /** The code calls a function of the script. */
  noteCalled(thing, args) {
    this.turns.noteCalled(thing)
    this.noteValues(args)
  }

  /** Takes note of an object that the code passes: it can mean another one than the script had made. */
  #noteTold(thing, isPart) {
    this.#own.delete(thing)
    if (isPart) this.#parts.add(thing)
    else this.named.delete(thing)
  }

  /** Asks the code for a property or a name. */
  read(reader, ask) {
    const outer = [this.isReading, this.#reader]
    ;[this.isReading, this.#reader] = [true, reader]
    try {
      return ask()
    } finally {
      ;[this.isReading, this.#reader] = outer
    }
  }

  /** What a name of the code stands for. */
  readName(name) {
    const value = this.read(undefined, () => this.ask('name', name))
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
    this.turns.fallBehind()
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
  captureStackTrace(here, called)
  Error.stackTraceLimit = stackTraceLimit
  return here.stack
}

/** Whether a failed assertion shows its values. The code must not be asked then: it would know that it failed. */
function isInFailure() {
  return callersOf(isInFailure).includes('node:internal/assert/assertion_error')
}

/** What the judge itself goes through, in lists of its own: the code could change those of the answer, and what their methods do. */
function ownAnswer(operation, answer) {
  if (operation === 'run') return ownList(answer)
  if (operation !== 'next' && operation !== 'turn') return answer
  const lists = operation === 'next' ? [0] : [1, 2]
  return ownList(answer).map((part, at) => (lists.includes(at) ? ownList(part) : part))
}

/** The items of a list of the code, in one that the code does not have. Executes nothing. */
function ownList(list) {
  if (!Array.isArray(list) || isProxy(list)) throw new Ended()
  const items = []
  for (let at = 0; at < list.length; at++) {
    const item = getOwnPropertyDescriptor(list, at)
    if (item === undefined || !hasOwn(item, 'value')) throw new Ended()
    items.push(item.value)
  }
  return items
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

function isObject(value) {
  return typeof value === 'object' && value !== null && !isProxy(value)
}
