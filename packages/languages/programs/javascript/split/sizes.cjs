// What a script compares by size: what is no number is neither smaller nor larger than anything.
class Sizes {
  #judge
  /** Calls that the script compares with a lower and an upper bound → what the code answered last. */
  #bounded = new Map()

  constructor(judge) {
    this.#judge = judge
  }

  /** What an instrumented script calls in place of its operators. */
  get hooks() {
    const check = (one, other, call) => this.#check(one, other, call)
    const isPlain = (one, other, call) => call === undefined && isNumber(one) && isNumber(other)
    return {
      less: (one, other, call) => (isPlain(one, other, call) || check(one, other, call), one < other),
      more: (one, other, call) => (isPlain(one, other, call) || check(one, other, call), one > other),
      notMore: (one, other, call) => (isPlain(one, other, call) || check(one, other, call), one <= other),
      notLess: (one, other, call) => (isPlain(one, other, call) || check(one, other, call), one >= other),
    }
  }

  #check(one, other, call) {
    if (!areSized(sizeOf(one), sizeOf(other))) this.#judge.unproven ??= 'the script compares the size of what has none'
    if (call !== undefined) this.#checkBounds(call)
  }

  /** One number for the lower bound and another one for the upper bound are no answer. */
  #checkBounds(call) {
    const last = this.#judge.lastAnswer
    const before = this.#bounded.get(call)
    this.#bounded.set(call, last)
    const isAgain = last !== undefined && before?.thing === last.thing && isDeepStrictEqual(before.args, last.args)
    if (isAgain && !is(before.value, last.value)) {
      this.#judge.unproven ??= `${last.thing.name} gives changing values to one comparison`
    }
  }
}

function isNumber(value) {
  return typeof value === 'number' && !Number.isNaN(value)
}

/** The value that has a size; undefined if it has none. */
function sizeOf(value) {
  if (!isThing(value)) return typeof value === 'symbol' ? undefined : value
  if (isDate(value)) return Date.prototype.getTime.call(value)
  if (isBoxedPrimitive(value)) return getPrimitive(value)
  // The code is asked for what other objects are converted to, or the judge refuses.
  const isConverted = isProxy(value) || Symbol.toPrimitive in value || propertyOf(value, 'valueOf') !== Object.prototype.valueOf
  return isConverted ? 0 : undefined
}

function areSized(one, other) {
  if (typeof one === 'string' && typeof other === 'string') return true
  return ![one, other].some((each) => Number.isNaN(Number(each)))
}
