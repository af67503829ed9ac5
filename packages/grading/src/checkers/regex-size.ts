/** A counted repetition. */
const COUNTED = /\{(\d+)(?:,(\d*))?\}/y
/** A quoted literal. */
const LITERAL = /\\Q.*?(?:\\E|$)/sy
/** An empty element: a repetition after it applies to the element before it. */
const NOTHING = /\(\?[a-zA-Z-]*\)|\\Q\\E|\\E/y
/** A repetition that takes one step of its own; a counted repetition after it counts both. */
const REPEATED = new Set(['*', '+', '?'])
/** An escape, with its braces if any, or a class; a bracket at the start of a class does not end it. */
const PIECE = /\\[xpP]\{[^}]*\}?|\\.?|\[\^?\]?(?:\\.|[^\\\]])*\]?|./sy

/**
 * Number of steps of a regular expression (RE2) after its counted repetitions are expanded. Compiling takes one to two
 * microseconds and half a kilobyte per step. Takes linear time.
 *
 * @example
 * ```ts
 * regexSize('(ab){100}') // 400
 * ```
 */
export function regexSize(pattern: string): number {
  /** Steps before each open group. */
  const open: number[] = []
  let sum = 0
  let last = 0
  for (let at = 0; at < pattern.length; ) {
    const found = (matcher: RegExp) => {
      matcher.lastIndex = at
      return matcher.exec(pattern)
    }
    const counted = found(COUNTED)
    const nothing = found(NOTHING)
    const literal = found(LITERAL)
    const [text = ''] = counted ?? nothing ?? literal ?? found(PIECE) ?? []
    if (counted !== null) {
      const times = Math.max(1, Number(counted[1]), Number(counted[2] || 0))
      sum += last * (times - 1)
      last *= times
    } else if (nothing !== null) {
      sum += 1
    } else if (REPEATED.has(text)) {
      last += 1
      sum += 1
    } else if (text === '(') {
      open.push(sum)
      sum = 0
    } else if (text === ')') {
      last = sum + 2
      sum = last + (open.pop() ?? 0)
    } else {
      last = 1
      sum += literal === null ? 1 : text.length
    }
    at += Math.max(1, text.length)
  }
  return open.reduce((total, size) => total + size, sum)
}
