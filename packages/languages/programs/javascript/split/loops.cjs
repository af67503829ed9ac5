// The loops of a script that have its assertions and comparisons in them.
class Loops {
  #judge
  /** Loops that have begun, and had no turn yet → what they go through. */
  #begun = new Map()

  constructor(judge) {
    this.#judge = judge
  }

  /** What an instrumented script calls. */
  get hooks() {
    return {
      over: (site, list) => {
        this.#check(site)
        this.#begun.set(site, list)
        if (hasHole(list)) this.#judge.unproven ??= 'a loop leaves out the holes of an array'
        return list
      },
      ran: (site) => this.#begun.delete(site),
    }
  }

  /** The script has ended. */
  checkAll() {
    for (const site of this.#begun.keys()) this.#check(site)
  }

  /** Has the script not pass if a loop that judges has had no turn, although there is something to go through. */
  #check(site) {
    const list = this.#begun.get(site)
    this.#begun.delete(site)
    // Such as a module of the code: `lists.map(list, double)`.
    const isNamespace = this.#judge.named.has(list) && !isIterable(list)
    if (isThing(list) && !isNamespace && this.#countOf(list) !== 0) {
      this.#judge.unproven ??= 'a loop with an assertion or a comparison in it has no turn'
    }
  }

  /** How many items something says that it has; undefined if it does not say it. */
  #countOf(list) {
    if (isProxy(list)) return undefined
    for (const key of ['length', 'size']) {
      const get = accessorOf(list, key)
      const count = get === undefined ? propertyOf(list, key) : apply(get, list, [])
      if (typeof count === 'number') return count
    }
    return this.#judge.isOfOther(list) ? undefined : 0
  }
}

function isIterable(thing) {
  return !isProxy(thing) && ['length', 'size', Symbol.iterator].some((key) => typeof thing === 'object' && key in thing)
}

function hasHole(list) {
  return Array.isArray(list) && !isProxy(list) && list.includes(undefined) && list.length !== Object.keys(list).filter((key) => key >= 0).length
}
