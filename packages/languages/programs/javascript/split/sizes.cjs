// What a script compares by size: what is no number is neither smaller nor larger than anything.
/** Maximum number of compared numbers that are remembered. */
const MAX_BOUNDED = 100

class Sizes {
  #judge
  /** Numbers of the code that the script compared: what told them, and by which bounds. */
  #bounded = []

  constructor(judge) {
    this.#judge = judge
  }

  /** What an instrumented script calls in place of its operators. */
  get hooks() {
    const values = (one, other) => (isNumber(one) && isNumber(other) ? [one, other] : this.#compared(one, other))
    const hook = (isLess, compare) => (one, other, isBound) => {
      if (isBound) this.#note(one, isLess)
      if (isBound) this.#note(other, !isLess)
      return compare(...values(one, other))
    }
    return {
      less: hook(true, (one, other) => one < other),
      more: hook(false, (one, other) => one > other),
      notMore: hook(true, (one, other) => one <= other),
      notLess: hook(false, (one, other) => one >= other),
    }
  }

  /** The plain values that an operator compares. */
  #compared(one, other) {
    const values = [one, other].map(plainOf)
    const areTexts = values.every((value) => typeof value === 'string')
    const haveSizes = areTexts || values.every((value) => typeof value !== 'symbol' && !Number.isNaN(Number(value)))
    if (!haveSizes || !hasSize(one) || !hasSize(other)) this.#judge.unproven ??= 'the script compares the size of what has none'
    return values
  }

  /** One number for the lower bound and another one for the upper bound are no answer. */
  #note(value, isLess) {
    const answer = this.#judge.numberAnswers.findLast((each) => is(each.value, value))
    if (answer === undefined) return
    const alike = this.#bounded.filter((each) => isSameQuestion(each, answer))
    const known = alike.find((each) => is(each.value, value))
    const bounded = known ?? { ...answer, isAbove: false, isBelow: false }
    bounded[isLess ? 'isBelow' : 'isAbove'] = true
    if (known === undefined) this.#bounded = [...this.#bounded, bounded].slice(-MAX_BOUNDED)
    const isOther = (each) => (each.isAbove && !each.isBelow && bounded.isBelow) || (each.isBelow && !each.isAbove && bounded.isAbove)
    if (bounded.isAbove !== bounded.isBelow && alike.some((each) => each !== bounded && isOther(each))) {
      this.#judge.unproven ??= `${functionName(answer.thing)} gives one number for a lower bound and another one for an upper bound`
    }
  }
}

function isSameQuestion(one, other) {
  return one.thing === other.thing && one.self === other.self && isDeepStrictEqual(one.args, other.args)
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
