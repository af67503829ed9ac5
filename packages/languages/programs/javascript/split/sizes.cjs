// What a script compares by size: an answer that is no number is neither smaller nor larger than anything.
const SIZE = /(?<![=<>-])[<>](?![<>]*>)/
/** Where a condition begins that must not hold. */
const CONDITION = /\b(?:if|while)\s*\(|!\s*\(/g
const WORD = /(?<![\p{ID_Continue}$])[\p{ID_Start}$_][\p{ID_Continue}$]*/gu
const MENTIONS = { NaN: /NaN|isFinite|isInteger|isSafeInteger/, undefined: /\bundefined\b|\bvoid 0\b|[=!]= ?null\b|\?\?|typeof/ }
/** A call that one statement has twice. */
const REPEATED = /(?<![\w$.])((?:[\w$]+\.)*([\w$]+)\([^()\n]*\))([^;\n]{0,400})(?<![\w$.])\1[^;\n]{0,400}/g

class Sizes {
  #judge
  #script
  #sized
  #repeated
  #last = undefined

  constructor(judge, script) {
    this.#judge = judge
    this.#script = script
    this.#sized = [...comparedBySize(script)]
    this.#repeated = [...comparedTwice(script)]
  }

  /**
   * Has a script pass by no answer that means nothing to its comparisons, and by no two answers to one question.
   *
   * @param call a function, what it got and what it gave
   * @param isNamed whether that is a name of the function
   */
  checkAnswer(call, isNamed) {
    const { thing, args, value } = call
    if (this.#sized.some(isNamed) && isUnsized(value, this.#script)) {
      this.#judge.unproven ??= `${thing.name} gives no number, but its size is compared`
    }
    const last = this.#last
    this.#last = call
    const isAgain = last?.thing === thing && this.#repeated.some(isNamed) && isDeepStrictEqual(last.args, args)
    if (isAgain && !is(last.value, value)) this.#judge.unproven ??= `${thing.name} gives changing values to one comparison`
  }

  /** The code told NaN, anywhere. */
  noteNotNumber() {
    const isUnseen = this.#sized.length > 0 && !MENTIONS.NaN.test(this.#script)
    if (isUnseen) this.#judge.unproven ??= 'the code gives NaN, which is neither smaller nor larger than anything'
  }
}

/** The names of functions and variables of whose values conditions of a script compare the size. */
function comparedBySize(script) {
  const names = new Set()
  for (const { index, 0: start } of script.matchAll(CONDITION)) {
    const open = index + start.length - 1
    const condition = script.slice(open, closing(script, open))
    if (SIZE.test(condition) && !/['"`]/.test(condition)) addOperands(condition, names)
  }
  for (const name of names) {
    const assigned = script.matchAll(RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*=(?![=>])([^;\\n]*)`, 'g'))
    for (const [, value] of assigned) addOperands(value, names)
  }
  return names
}

/** The functions that a statement calls twice with the same arguments, and compares by size each time. */
function comparedTwice(script) {
  const statements = [...script.matchAll(REPEATED)]
  const isJoined = ([text, , , between]) => SIZE.test(text) && /&&|\|\|/.test(between)
  return new Set(statements.filter(isJoined).map((each) => each[2]))
}

/** Adds the names of what an expression is computed from: calls, and variables of which it does not take a part. */
function addOperands(text, names) {
  let after = 0
  for (const { index, 0: word } of text.matchAll(WORD)) {
    if (index < after) continue
    let end = index + word.length
    const isCall = /^\s*\(/.test(text.slice(end))
    if (isCall) end = closing(text, text.indexOf('(', end)) + 1
    // What a function of the code gets may be anything.
    if (isCall && !/\bMath\.$/.test(text.slice(0, index)) && !KNOWN.has(word)) after = end
    const isPart = text[index - 1] === '.' && !isCall
    if (!isPart && !/^\s*(?:\?\.|[.[])/.test(text.slice(end))) names.add(word)
  }
}

/** Where a bracket is closed; the end of the text if it is not. */
function closing(text, open) {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at
  }
  return text.length
}

/** Whether an answer would pass for any number. */
function isUnsized(value, script) {
  if (value === undefined) return !MENTIONS.undefined.test(script)
  if (isObject(value)) return ['object', 'array', 'map', 'set', 'regexp', 'error'].includes(describe(value)[0])
  if (typeof value === 'function') return true
  return typeof value !== 'symbol' && typeof value !== 'bigint' && Number.isNaN(Number(value)) && !MENTIONS.NaN.test(script)
}
