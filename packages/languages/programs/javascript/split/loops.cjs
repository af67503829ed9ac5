// The loops of a script that have its assertions and comparisons in them.
class Loops {
  #judge
  /** Loops that have begun → what they go through, how many turns they had, and how many items there are, if all must have one. */
  #begun = new Map()

  constructor(judge) {
    this.#judge = judge
  }

  /** What an instrumented script calls: `each` where a function gets every item. */
  get hooks() {
    const over = (site, list, isEach) => {
      this.#check(site)
      const isOwn = isEach && isThing(list) && !Array.isArray(list) && this.#judge.isOfOther(list)
      this.#begun.set(site, { list, turns: 0, count: isOwn ? countOf(list) : undefined })
      if (hasHole(list)) this.#judge.unproven ??= 'a loop leaves out the holes of an array'
      return list
    }
    return {
      over: (site, list) => over(site, list, false),
      each: (site, list) => over(site, list, true),
      ran: (site) => {
        const loop = this.#begun.get(site)
        if (loop !== undefined) loop.turns++
      },
    }
  }

  /** The script has ended. */
  checkAll() {
    for (const site of this.#begun.keys()) this.#check(site)
  }

  /** Has the script not pass if a loop that judges leaves out something that it goes through. */
  #check(site) {
    const { list, turns, count } = this.#begun.get(site) ?? {}
    this.#begun.delete(site)
    if (count > turns) this.#judge.unproven ??= `a loop with an assertion or a comparison in it has ${turns} turns for ${count} items`
    // Such as a module of the code: `lists.map(list, double)`.
    const isNamespace = this.#judge.named.has(list) && !isIterable(list)
    if (turns === 0 && isThing(list) && !isNamespace && this.#sizeOf(list) !== 0) {
      this.#judge.unproven ??= 'a loop with an assertion or a comparison in it has no turn'
    }
  }

  #sizeOf(list) {
    return countOf(list) ?? (isProxy(list) || this.#judge.isOfOther(list) ? undefined : 0)
  }
}

function isIterable(thing) {
  return !isProxy(thing) && ['length', 'size', Symbol.iterator].some((key) => typeof thing === 'object' && key in thing)
}

function hasHole(list) {
  return Array.isArray(list) && !isProxy(list) && list.includes(undefined) && list.length !== Object.keys(list).filter((key) => key >= 0).length
}
