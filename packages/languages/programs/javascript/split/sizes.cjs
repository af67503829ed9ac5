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
    const values = (one, other, call) => (call === undefined && isNumber(one) && isNumber(other) ? [one, other] : this.#compared(one, other, call))
    const hook = (compare) => (one, other, call) => compare(...values(one, other, call))
    return {
      less: hook((one, other) => one < other),
      more: hook((one, other) => one > other),
      notMore: hook((one, other) => one <= other),
      notLess: hook((one, other) => one >= other),
    }
  }

  /** The plain values that an operator compares. */
  #compared(one, other, call) {
    const values = [one, other].map(plainOf)
    const areTexts = values.every((value) => typeof value === 'string')
    const haveSizes = areTexts || values.every((value) => typeof value !== 'symbol' && !Number.isNaN(Number(value)))
    if (!haveSizes || !hasSize(one) || !hasSize(other)) this.#judge.unproven ??= 'the script compares the size of what has none'
    if (call !== undefined) this.#checkBounds(call)
    return values
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

/** Whether something is a plain value, or an object that stands for one. */
function hasSize(value) {
  if (!isThing(value) || isDate(value) || isBoxedPrimitive(value) || isProxy(value)) return true
  return Symbol.toPrimitive in value || propertyOf(value, 'valueOf') !== Object.prototype.valueOf
}

/** The plain value that an operator makes of something, once: an object of the code could give two. */
function plainOf(value) {
  if (!isThing(value)) return value
  const convert = value[Symbol.toPrimitive]
  const methods = convert === undefined || convert === null ? [value.valueOf, value.toString] : [convert]
  for (const method of methods) {
    const plain = typeof method === 'function' ? apply(method, value, methods.length === 1 ? ['number'] : []) : value
    if (!isThing(plain)) return plain
  }
  throw new TypeError('Cannot convert object to primitive value')
}
