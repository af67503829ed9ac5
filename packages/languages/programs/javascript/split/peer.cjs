// The objects that both processes have, and the questions that pass between them.
/** No script has use for more objects in one message. */
const MAX_MADE = 100_000
/** Values in plain objects that stay the same objects in both processes; older ones are forgotten, and passed as copies. */
const SHARED_VALUES = 4000
/** Values of a long array that are looked at as fast as one of another object. */
const FAST_VALUES = 64
/** Maximum number of objects that are looked at when a promise gives one. */
const MAX_SETTLED = 1000
/** Functions by which code takes part in the conversion of its objects to plain values. */
const CONVERSIONS = ['toString', 'valueOf', Symbol.toPrimitive]

/** One of two processes. Each may ask the other; while it waits for the answer, it answers questions itself. */
class Peer {
  objects = new Map()
  numbers = new Map()
  /** Own functions and iterators that the other process may use. */
  lent = new Set()
  /** Promises of the other process → how to settle them. */
  pending = new Map()
  /** Own promises that have settled since the other process was told. */
  settled = []
  /** The objects among them, as they were then. */
  #settledThings = []
  /** Own promises that something waits for, or that have handlers. */
  handled = new WeakSet()
  /** What stands for promises of the other process. */
  mirrors = new WeakSet()
  #isWatching = false
  /** What the other process threw last, in a list. */
  raised = []
  /** Number of answered questions. */
  answered = 0
  #next = 0
  #depth = 0
  #kept = []
  #views = new Views()
  /** Objects that are no longer shared. */
  forgotten = new Forgotten()
  #keptValues = 0
  #broken = false

  /**
   * @param operations what the other process may ask for: name → function
   * @param hooks `describe` can describe a value in another way, `lend` sees what is passed for the first time, `output` takes what
   *   was printed, `forgotten` sees what is no longer shared, `passed` what is passed again, `told` what the other process
   *   passes, `given` what it passes to a function that it calls, or answers, and which it is, `replaced` functions that replace others of an own object, `text` its texts, `knows` in which kind of message it names a constructor of the language,
   *   `internal` tells whose private properties only this process changes, `differs` sees what could not be made what the other process says,
   *   `inherits` sees another prototype, `changedLate` what has changed between its promise and the message with it, and `originals` has what the other process has in place of a function: a property, or null for none
   */
  constructor(channel, operations, hooks) {
    this.channel = channel
    this.operations = operations
    this.hooks = hooks
  }

  /** Asks the other process. Throws what it throws. */
  ask(operation, ...values) {
    // The worker asks the code to run, while the judge starts.
    if (operation !== 'run') this.#send(['ask', operation], values)
    this.#depth++
    for (;;) {
      const [[kind, detail], values] = this.#receive()
      if (kind === 'ask') {
        this.answer(detail, values)
        continue
      }
      if (kind === 'large') throw new TooLarge()
      if (kind !== 'ok' && kind !== 'raise') throw new Ended()
      this.#leave()
      this.hooks.output?.(detail)
      if (kind === 'raise') {
        this.raised = values
        throw values[0]
      }
      return values[0]
    }
  }

  /** Receives a question: its operation and values. {@link done} follows its answer. */
  receive() {
    const [[kind, operation], values] = this.#receive()
    if (kind !== 'ask') throw new Ended()
    this.#depth++
    return [operation, values]
  }

  /** Answers a question. */
  answer(operation, values) {
    this.answered++
    try {
      if (!hasOwn(this.operations, operation)) throw new Ended()
      const result = this.operations[operation](...values)
      this.reply('ok', result, operation === 'name')
    } catch (error) {
      if (error instanceof Ended) throw error
      this.hooks.raised?.(error)
      this.reply('raise', error)
    }
  }

  reply(kind, result, isKept = false) {
    try {
      this.#send([kind, this.hooks.printed?.()], [result], isKept)
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      this.#send(['large'], [])
    }
  }

  done() {
    this.#leave()
  }

  /** Number of the next object that either process passes. */
  get next() {
    return this.#next
  }

  #leave() {
    this.#depth--
    if (this.#depth > 0) return
    for (; this.#keptValues > SHARED_VALUES; ) {
      const [number, size] = this.#kept.shift()
      const entry = this.objects.get(number)
      const thing = entry?.thing
      if (entry !== undefined) this.forgotten.add(entry, size)
      this.hooks.forgotten?.(thing)
      this.numbers.delete(thing)
      this.objects.delete(number)
      this.#keptValues -= size
    }
  }

  #send(head, values, isKept = false) {
    const first = this.#next
    const queue = []
    const made = []
    const changed = []
    if (this.#broken) throw new Ended()
    try {
      const cells = values.map((value) => this.#cell(value, queue, isKept))
      for (const [number, entry] of this.objects) {
        if (number >= first) break
        if (!BARE.has(entry.kind) && getPrototypeOf(entry.thing) !== entry.prototype) this.hooks.inherits?.()
        if (isUnchanged(entry.thing, entry.kind, entry.state, this.hooks.originals)) continue
        const state = look(entry.thing, entry.kind, this.hooks.originals)
        if (head[0] !== 'ask' && entry.isOwn) this.#noteReplaced(entry.thing, state)
        entry.state = state
        changed.push([number, state.map((value) => this.#cell(value, queue, entry.isLive))])
      }
      if (changed.length > 0) this.hooks.changing?.()
      for (let at = 0; at < queue.length; at++) {
        if (at === MAX_MADE) throw new TooLarge()
        made.push(this.#made(queue[at], queue))
      }
      this.#broken = true
      this.channel.send([head, cells, made, changed])
      this.#broken = false
    } catch (error) {
      for (; this.#next > first; this.#next--) {
        this.numbers.delete(this.objects.get(this.#next - 1)?.thing)
        this.objects.delete(this.#next - 1)
      }
      throw error
    }
  }

  /** What stands for a value in a message; objects that the other process does not have join the queue. */
  #cell(value, queue, isLive) {
    const plain = plainCell(value)
    if (plain !== undefined) return plain
    const number = this.numbers.get(value)
    if (number !== undefined) {
      this.hooks.passed?.(value)
      return [number]
    }
    const description = this.hooks.describe?.(value) ?? (hasComputedItems(value) ? ['proxy', 'array'] : describe(value))
    const entry = { thing: value, number: this.#next, isLive, isOwn: true, description }
    entry.isMethods = entry.description[0] === 'function'
    this.numbers.set(value, this.#next)
    this.objects.set(this.#next++, entry)
    queue.push(entry)
    return [entry.number]
  }

  #made(entry, queue) {
    const { thing, description } = entry
    const [kind] = description
    entry.kind = kind
    this.hooks.lend?.(thing, kind)
    entry.state = look(thing, kind, this.hooks.originals)
    if (!BARE.has(kind)) entry.prototype = getPrototypeOf(thing)
    const prototype = this.#prototype(thing, kind)
    entry.isLive ||= staysShared(kind, prototype, entry.state)
    const isUsed = typeof thing === 'function' || kind === 'iterator' || kind === 'async iterator'
    if (isUsed) this.lent.add(thing)
    if (kind === 'promise') this.#watch(thing, entry.number)
    const before = queue.length
    const state = entry.state.map((value) => this.#cell(value, queue, entry.isLive))
    for (const part of queue.slice(before)) part.isInternal = this.#isInternal(entry, part.thing)
    if (!entry.isLive) this.#keep(entry, state.length)
    const info = [...description.slice(1), ...(kind === 'bytes' ? this.#viewed(thing) : [])]
    return [kind, entry.isLive, this.#prototypeCell(prototype, queue), info.map((each) => plainCell(each) ?? null), state]
  }

  /** Whether only the owner may change a new part of an object: what its functions keep, and the state of Node's own objects. */
  #isInternal({ thing, kind, isInternal }, part) {
    if (isInternal) return true
    const isFunction = kind === 'function'
    if (!isFunction && this.hooks.internal?.(thing) !== true) return false
    const keys = ownKeys(thing).filter((key) => (isFunction ? key !== 'prototype' : isPrivate(key)))
    return keys.some((key) => propertyOf(thing, key) === part)
  }

  /** The number of what has the bytes of a new view already, and where they begin in it. */
  #viewed(thing) {
    const [other, offset] = this.#views.find(thing, (each) => this.numbers.has(each)) ?? []
    this.#views.note(thing)
    return other === undefined ? [] : [this.numbers.get(other), offset]
  }

  /** The prototype of an object: 0 if it is as usual, a name, null, or an object. */
  #prototype(thing, kind) {
    if (BARE.has(kind) || kind.endsWith('iterator')) return 0
    const prototype = getPrototypeOf(thing)
    if (kind === 'promise' && prototype === Promise.prototype) return 0
    if (prototype === null) return 'null'
    const name = PROTOTYPE_NAMES.get(prototype)
    if (kind === 'function' && (name === 'Function' || name === 'Object')) return 0
    // The code's process need not load that module.
    if (kind === 'error' && name === undefined && isAssertionError(thing, prototype)) return 'AssertionError'
    return name ?? prototype
  }

  #prototypeCell(prototype, queue) {
    if (typeof prototype !== 'object' && typeof prototype !== 'function') return prototype
    const cell = this.#cell(prototype, queue, true)
    const entry = this.objects.get(this.numbers.get(prototype))
    if (entry !== undefined) entry.isMethods = true
    return cell
  }

  #keep({ number, kind }, values) {
    const isFast = kind === 'array' && values > LONG
    const size = (isFast ? Math.ceil(values / FAST_VALUES) : values) + 4
    this.#kept.push([number, size])
    this.#keptValues += size
  }

  #watch(promise, number) {
    this.#isWatching = true
    Promise.prototype.then.call(
      promise,
      (value) => this.#settle(number, true, value),
      (error) => this.#settle(number, false, error),
    )
    this.#isWatching = false
  }

  /** Takes note of a promise that was made of another one: it handles what that one rejects with. */
  noteHandled(parent) {
    if (parent !== undefined && !this.#isWatching) this.handled.add(parent)
  }

  #settle(number, isValue, value) {
    if (!isValue) this.hooks.raised?.(value)
    this.settled.push(number, isValue, value)
    if (this.hooks.changedLate !== undefined && isThing(value)) this.#noteSettled(value)
    this.hooks.onSettled?.()
  }

  /** Settles promises of the other process. */
  settle(list) {
    for (let at = 0; at + 2 < list.length; at += 3) {
      const settle = this.pending.get(list[at])
      this.pending.delete(list[at])
      settle?.[list[at + 1] === true ? 'resolve' : 'reject'](list[at + 2])
    }
  }

  /** Takes what has settled since the last call. */
  takeSettled() {
    const settled = this.settled
    const isSame = ({ thing, kind, state }) => isUnchanged(thing, kind, state, this.hooks.originals)
    if (!this.#settledThings.every(isSame)) this.hooks.changedLate()
    this.settled = []
    this.#settledThings = []
    return settled
  }

  /** Takes note of how an object is, and what it holds, as a promise gives it: the other process gets it later. */
  #noteSettled(first) {
    const things = new Set([first])
    for (const thing of things) {
      const [kind] = this.hooks.describe?.(thing) ?? describe(thing)
      const state = look(thing, kind, this.hooks.originals)
      this.#settledThings.push({ thing, kind, state })
      for (const part of state) if (isThing(part) && things.size < MAX_SETTLED) things.add(part)
    }
  }

  #receive() {
    if (this.#broken) throw new Ended()
    this.#broken = true
    try {
      const message = this.#read(this.channel.receive())
      this.#broken = false
      return message
    } catch (error) {
      throw error instanceof Ended ? error : new Ended(error.message)
    }
  }

  #read([head, cells, made, changed]) {
    if (!Array.isArray(head)) throw new Unreadable()
    if (made.length > MAX_MADE) throw new TooLarge()
    const entries = []
    for (const [kind, isLive, prototype, info, state] of made) {
      const number = this.#next++
      const values = info.map((each) => (Array.isArray(each) ? plainValue(each) : each))
      const thing = REMOTE.has(kind) && kind !== 'symbol' ? this.#remote(kind, values, number) : this.#copy(kind, values)
      const entry = { thing, number, kind, isLive: isLive === true, state: [] }
      if (kind === 'bytes' && values[2] !== undefined) entry.original = this.objects.get(values[2])
      // What both processes have is never filled.
      if (KNOWN_NAMES.has(thing) || PROTOTYPE_NAMES.has(thing)) throw new Unreadable()
      this.numbers.set(thing, number)
      this.objects.set(number, entry)
      entries.push([entry, prototype, state])
      if (!entry.isLive) this.#keep(entry, state.length)
    }
    const value = (cell) => {
      if (typeof cell !== 'object' || cell === null) return cell
      if (typeof cell[0] !== 'number') return plainValue(cell)
      const entry = this.objects.get(cell[0])
      if (entry === undefined) throw new Unreadable()
      return entry.thing
    }
    for (const [entry, prototype] of entries) {
      if (prototype !== 0) setPrototype(entry.thing, prototype, value)
      if (!BARE.has(entry.kind)) entry.prototype = getPrototypeOf(entry.thing)
    }
    const told = (cell, isPart) => {
      if (typeof cell === 'string') this.hooks.text?.(cell)
      if (Array.isArray(cell) && cell[0] === 'k') this.hooks.knows?.(head[0])
      const thing = value(cell)
      if (isThing(thing)) this.hooks.told?.(thing, isPart)
      return thing
    }
    const isCall = head[0] !== 'ask' || head[1] === 'call' || head[1] === 'new'
    const given = (cell, isPart) => {
      const thing = told(cell, isPart)
      if (isCall && isThing(thing)) this.hooks.given?.(thing, head[0] !== 'ask')
      return thing
    }
    for (const [entry, prototype, state] of entries) {
      const now = state.map((cell) => given(cell, true))
      // Else its mirror would be forgotten, and later pass for an object of this process.
      if (!entry.isLive && staysShared(entry.kind, prototype, now)) throw new Unreadable()
      if (entry.original === undefined) this.#fill(entry, now)
      else this.#fillView(entry, now)
    }
    for (const [number, state] of changed) {
      const entry = this.objects.get(number)
      const now = state.map((cell) => told(cell, true))
      const isKept = entry.isMethods || entry.isInternal
      if (isKept || (entry.isOwn && this.#replacesMethod(entry.thing, now))) this.hooks.tampered?.()
      const before = entry.state
      this.#fill(entry, now)
      this.hooks.changed?.(entry.thing, before, entry.state)
    }
    // The first one of a call is the function.
    return [head, cells.map((cell, at) => (at === 0 && head[0] === 'ask' ? told : given)(cell, false))]
  }

  /** Looks for functions that an own object has in place of others, while this process answered. */
  #noteReplaced(thing, state) {
    const before = this.objects.get(this.numbers.get(thing)).state
    const known = valuesIn(before)
    for (const [key, now] of valuesIn(state)) {
      if (typeof now !== 'function') continue
      const was = known.get(key) ?? inheritedFrom(thing, key)
      if (typeof was === 'function' && was !== now && !this.isOfOther(was)) this.hooks.replaced?.(now)
    }
  }

  /** Whether a state has another property in place of a method, accessor or internal state that an object has or inherits. */
  #replacesMethod(thing, state) {
    const hasInternals = this.hooks.internal?.(thing) === true
    for (let at = state[1] + 2; at < state.length; at += isValue(state[at + 1]) ? 3 : 4) {
      const [key, , now] = state.slice(at, at + 3)
      const was = accessorOf(thing, key) ?? propertyOf(thing, key)
      if (typeof was === 'function' && was !== now && !this.isOfOther(was)) return true
      if (hasInternals && isPrivate(key) && !is(was, now)) return true
    }
    return false
  }

  /** Whether something belongs to the other process. */
  isOfOther(thing) {
    const entry = this.objects.get(this.numbers.get(thing))
    return entry !== undefined && entry.isOwn !== true
  }

  #fill(entry, state) {
    fill(entry.thing, entry.kind, state)
    this.hooks.filled?.(entry.thing, entry.kind)
    entry.state = look(entry.thing, entry.kind, this.hooks.originals)
    if (!isSameState(state, entry.state)) this.hooks.differs?.(entry, state)
  }

  /** Fills a view of bytes that both processes have already, which must change them no more than a message says of them, too. */
  #fillView(entry, state) {
    const { original } = entry
    const before = Buffer.from(bytesOf(original.thing))
    this.#fill(entry, state)
    if (!before.equals(bytesOf(original.thing))) this.hooks.changed?.(original.thing, original.state, original.state)
  }

  /** An object like one of the other process. */
  #copy(kind, info) {
    if (kind !== 'bytes') return make(kind, info)
    const [name, length, number, offset] = info
    const copy = make(kind, [name, length])
    const other = number === undefined ? undefined : this.objects.get(number)
    if (other !== undefined && other.kind !== 'bytes') throw new Unreadable()
    const thing = other === undefined ? copy : (viewOf(other.thing, name, length, offset) ?? copy)
    // A buffer that both processes have, or had, is no new object.
    const made = this.#views.has(thing) ? copy : thing
    if (made !== thing && !this.numbers.has(thing)) this.hooks.differs?.()
    this.#views.note(made)
    return made
  }

  /** What stands for something of the other process. */
  #remote(kind, info, number) {
    switch (kind) {
      case 'function':
        return this.#function(...info)
      case 'promise': {
        const { promise, resolve, reject } = Promise.withResolvers()
        this.pending.set(number, { promise, resolve, reject })
        this.mirrors.add(promise)
        return promise
      }
      case 'iterator':
        return iteratorOf(this, String(info[0]))
      case 'async iterator':
        return new RemoteAsyncIterator(this)
      case 'proxy':
        return this.hooks.proxy?.(this, info[0]) ?? {}
      default:
        throw new Unreadable()
    }
  }

  #function(isConstructor) {
    const peer = this
    const made = isConstructor
      ? function (...args) {
          if (new.target === undefined) return peer.call(made, this, args)
          const isDerived = new.target !== made
          if (isDerived) peer.hooks.subclassed?.(new.target, made)
          const thing = peer.construct(made, args, isDerived)
          if (isDerived && typeof thing === 'object') setPrototypeOf(thing, new.target.prototype)
          return thing
        }
      : {
          call(...args) {
            return peer.call(made, this, args)
          },
        }.call
    return made
  }

  call(thing, self, args) {
    return this.ask('call', thing, self === globalThis ? undefined : self, ...args)
  }

  construct(thing, args, isDerived = false) {
    return this.ask(isDerived ? 'derive' : 'new', thing, ...args)
  }
}

/** Whether a copy of an object could not stand for it, so that it is never forgotten. Its prototype as {@link Peer} has or sends it. */
function staysShared(kind, prototype, state) {
  const isOfOwnType = prototype !== 0 && typeof prototype !== 'string'
  return isOfOwnType || REMOTE.has(kind) || state.some((value) => typeof value === 'function')
}

/** Whether two states of objects are the same. */
function isSameState(one, other) {
  return one.length === other.length && one.every((value, at) => is(value, other[at]))
}

/** The values of the properties in a state, by their keys. */
function valuesIn(state) {
  const found = new Map()
  for (let at = state[1] + 2; at < state.length; at += isValue(state[at + 1]) ? 3 : 4) {
    if (isValue(state[at + 1])) found.set(state[at], state[at + 2])
  }
  return found
}

function inheritedFrom(thing, key) {
  const prototype = getPrototypeOf(thing)
  return prototype === null ? undefined : propertyOf(prototype, key)
}

/** Whether a property is state of an object of Node. */
function isPrivate(key) {
  return typeof key === 'symbol' || key[0] === '_'
}

/** Whether an error is one of Node's assertions. */
function isAssertionError(error, prototype) {
  return propertyOf(error, 'code') === 'ERR_ASSERTION' && propertyOf(propertyOf(prototype, 'constructor'), 'name') === 'AssertionError'
}

/** The value of a property that is no accessor. Executes nothing. */
function propertyOf(thing, key) {
  for (let at = thing; at !== null && !isProxy(at); at = getPrototypeOf(at)) {
    const property = getOwnPropertyDescriptor(at, key)
    if (property !== undefined) return property.value
  }
}

/** The name of a function: a text, whatever its code has made of that. Executes nothing. */
function functionName(thing) {
  const name = propertyOf(thing, 'name')
  return typeof name === 'string' ? name : ''
}

/** The getter of a property. Executes nothing. */
function accessorOf(thing, key) {
  for (let at = thing; at !== null && !isProxy(at); at = getPrototypeOf(at)) {
    const property = getOwnPropertyDescriptor(at, key)
    if (property !== undefined) return property.get
  }
}

function setPrototype(thing, prototype, value) {
  if (prototype === 'null') setPrototypeOf(thing, null)
  else if (typeof prototype === 'string') {
    if (!PROTOTYPES.has(prototype)) throw new Unreadable()
    if (getPrototypeOf(thing) !== PROTOTYPES.get(prototype)) setPrototypeOf(thing, PROTOTYPES.get(prototype))
  } else if (!setPrototypeOf(thing, value(prototype))) throw new Unreadable()
}
