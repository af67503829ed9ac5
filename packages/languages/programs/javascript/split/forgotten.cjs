// Objects that are no longer shared: a change of them by one process is not seen by the other.
/** Maximum size of those that are watched. */
const MAX_FORGOTTEN = 1 << 18
/** Characters of a text that count as one value. */
const VALUE_CHARACTERS = 8
/** Time for looking at them after questions. */
const MAX_LOOKS_NS = 100_000_000n
const now = process.hrtime.bigint

class Forgotten {
  /** Objects → what they held. */
  #entries = new Map()
  #size = 0
  #spent = 0n

  get isEmpty() {
    return this.#entries.size === 0
  }

  /** Whether there are more objects than those that are watched. */
  get isFull() {
    return this.#size > MAX_FORGOTTEN
  }

  /** Whether every change would have been seen so far. */
  get isWatched() {
    return this.#spent <= MAX_LOOKS_NS
  }

  add(entry, size) {
    this.#size += size
    for (const value of entry.state) if (typeof value === 'string') this.#size += value.length / VALUE_CHARACTERS
    if (!this.isFull) this.#entries.set(entry.thing, { ...entry, prototype: prototypeOf(entry) })
  }

  /** An object is passed again, as it is now. */
  drop(thing) {
    this.#entries.delete(thing)
  }

  /** Whether one of them has changed. */
  hasChanged(skipped) {
    return [...this.#entries.values()].some((entry) => {
      const { thing, kind, state, prototype } = entry
      return prototypeOf(entry) !== prototype || !isUnchanged(thing, kind, state, skipped)
    })
  }

  /** Whether one of them has changed, as long as it does not take long to tell. */
  hasChangedYet(skipped) {
    if (this.isEmpty || !this.isWatched) return false
    const start = now()
    const hasChanged = this.hasChanged(skipped)
    this.#spent += now() - start
    return hasChanged
  }
}

/** The prototype of the object of an entry; undefined if it only stands for one of the other process. */
function prototypeOf({ thing, kind }) {
  return BARE.has(kind) ? undefined : getPrototypeOf(thing)
}
