// What loops see of objects of the code.
const MAX_REMEMBERED = 10_000

class Iterations {
  #judge
  /** Iterators → what they have given. */
  #runs = new WeakMap()
  /** Objects → what the first iterator has given since the code was called. */
  #firstRuns = new Map()

  constructor(judge) {
    this.#judge = judge
  }

  /** Something else has happened, which may change what objects give. */
  clear() {
    this.#firstRuns.clear()
  }

  /** Whether something is an iterator that an object of the code gave. */
  has(thing) {
    return this.#runs.has(thing)
  }

  /** An object gives an iterator. */
  begin(iterator, owner) {
    const run = { owner, items: [], given: 0, isOver: false }
    run.first = this.#firstRuns.get(owner) ?? run
    this.#firstRuns.set(owner, run.first)
    this.#runs.set(iterator, run)
  }

  /** An object must not say that it has more items than a loop sees, nor give another loop others, although nothing was called. */
  noteStep(iterator, step) {
    const run = this.#runs.get(iterator)
    if (run === undefined || !isObject(step)) return
    const { owner, first } = run
    const isCompared = first !== run && this.#firstRuns.get(owner) === first
    const differs = () => {
      this.#judge.unproven ??= 'an object gives a loop other items than another loop'
    }
    if (propertyOf(step, 'done') === true) {
      run.isOver = true
      if (isCompared && first.isOver && first.given !== run.given) differs()
      const count = isProxy(owner) ? owner.length : countOf(owner)
      if (count > run.given) this.#judge.unproven ??= `an object gives ${run.given} items, and says that it has ${count}`
      return
    }
    const value = propertyOf(step, 'value')
    if (isCompared && run.given < first.items.length && !isThing(value) && !is(first.items[run.given], value)) differs()
    if (run === first && run.given < MAX_REMEMBERED) run.items.push(value)
    run.given++
  }
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
