// Iterators of the other process, and what both processes may ask of each other.
/** No script has use for more values of one iterator. */
const MAX_ITERATED = 1 << 18
const BATCH = 256
/** Steps after which a generator may be asked for values ahead. */
const SINGLE_STEPS = 32

/**
 * The next values of an iterator, then how it ended: 0 if it goes on, 1 if it is over, 2 if it throws; with a value.
 * `raised` sees what it throws, and whether that may have been ahead of its use.
 */
function nextBatch(iterator, size, raised) {
  const batch = []
  while (batch.length < Math.min(size, BATCH)) {
    try {
      const { done, value } = iterator.next()
      if (done) return [batch, 1, value]
      batch.push(value)
    } catch (error) {
      raised?.(error, batch.length > 0)
      return [batch, 2, error]
    }
  }
  return [batch, 0]
}

/** An iterator of the other process. In loops, values come in batches. */
class RemoteIterator extends KNOWN.get('Iterator') {
  #peer
  #tag
  #isInLoop = false
  #waiting = []
  #at = 0
  #end = [0]
  // One at first: what a generator prints between two values comes between them.
  #size = 1
  #count = 0

  constructor(peer, tag) {
    super()
    this.#peer = peer
    this.#tag = tag
  }

  get [Symbol.toStringTag]() {
    return this.#tag
  }

  next(...args) {
    const isAlone = args.length > 0 || !this.#isInLoop
    if (this.#at === this.#waiting.length && this.#end[0] === 0) {
      if (isAlone) return this.#noted(this.#peer.ask('method', this, 'next', ...args))
      this.#fetch()
    }
    if (this.#at < this.#waiting.length) return this.#noted({ value: this.#waiting[this.#at++], done: false })
    const [kind, value] = this.#end
    this.#end = [1, undefined]
    if (kind === 2) throw value
    return this.#noted({ value, done: true })
  }

  #noted(step) {
    this.#peer.hooks.stepped?.(this, step)
    return step
  }

  #fetch() {
    if (++this.#count > MAX_ITERATED / BATCH) this.#peer.hooks.tooLarge?.()
    const [batch, ...end] = this.#peer.ask('next', this, this.#size)
    ;[this.#waiting, this.#at, this.#end] = [batch, 0, end]
    if (this.#count >= SINGLE_STEPS) this.#size = Math.min(this.#size * 2, BATCH)
  }

  /** Asks for the end of the iterator. */
  finish(name, value) {
    ;[this.#waiting, this.#at] = [[], 0]
    if (name === 'return') this.#end = [1, undefined]
    return this.#peer.ask('method', this, name, value)
  }

  [Symbol.iterator]() {
    this.#isInLoop = true
    return this
  }
}

class RemoteHelper extends RemoteIterator {
  return(value) {
    return this.finish('return', value)
  }
}

class RemoteGenerator extends RemoteHelper {
  throw(error) {
    return this.finish('throw', error)
  }
}

/** What stands for an iterator of the language: it has the methods of its type. */
function iteratorOf(peer, tag) {
  const kind = tag === 'Generator' ? RemoteGenerator : tag === 'Iterator Helper' ? RemoteHelper : RemoteIterator
  return new kind(peer, tag)
}

/** An asynchronous generator of the other process. */
class RemoteAsyncIterator {
  #peer

  constructor(peer) {
    this.#peer = peer
  }

  next(...args) {
    return this.#peer.ask('method', this, 'next', ...args)
  }

  return(value) {
    return this.#peer.ask('method', this, 'return', value)
  }

  throw(error) {
    return this.#peer.ask('method', this, 'throw', error)
  }

  get [Symbol.toStringTag]() {
    return 'AsyncGenerator'
  }

  [Symbol.asyncIterator]() {
    return this
  }
}

/** What both processes may ask of the other: to use what it has lent. */
function operationsOn(lent, raised, derived) {
  const own = (thing) => {
    if (!lent.has(thing)) throw new Ended()
    return thing
  }
  return {
    call: (thing, self, ...args) => apply(own(thing), self, args),
    new: (thing, ...args) => construct(own(thing), args),
    // For a class of the other process that extends this one.
    derive: (thing, ...args) => {
      derived?.()
      return construct(own(thing), args)
    },
    next: (iterator, size) => {
      // An object would be converted by code of the other process.
      if (typeof size !== 'number') throw new Ended()
      return nextBatch(own(iterator), size, raised)
    },
    method: (iterator, name, ...args) => {
      if (!['next', 'return', 'throw'].includes(name)) throw new Ended()
      return own(iterator)[name](...args)
    },
  }
}
