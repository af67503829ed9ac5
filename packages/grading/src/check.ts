import { type Difference, firstDifference, parted } from './difference.ts'
import { jsonDifference } from './json-equal.ts'
import { numbersDifference, type Tolerance } from './numbers.ts'
import { fullLinesOf, linesOf, tokensOf } from './pieces.ts'
import { regexDifference } from './regex.ts'
import { unorderedDifference } from './unordered.ts'

/** How output is compared with what was expected; the list is closed. */
export type Checker =
  /** Byte for byte. */
  | { readonly type: 'exact' }
  /** Line by line; white space at the end of lines, and empty lines at the end, do not count. */
  | { readonly type: 'trimmed' }
  /** Word by word, whatever white space is in between. */
  | { readonly type: 'tokens' }
  /** Word by word; numbers may be off by a little. */
  | ({ readonly type: 'numbers' } & Tolerance)
  /** The same lines, each as often, in any order; empty ones, and white space at the end of lines, do not count. */
  | { readonly type: 'lines' }
  /** The same words, each as often, in any order. */
  | { readonly type: 'sorted' }
  /** What was expected is a regular expression (RE2) for the whole output, white space at its end aside. */
  | { readonly type: 'regex' }
  /** Both are JSON documents that mean the same. */
  | { readonly type: 'json' }

/**
 * Judges one output. It takes time in proportion to both texts, whatever is in them.
 *
 * @returns undefined if it passes, else how it differs, in one sentence that shows a little of both
 * @example
 * ```ts
 * check({ type: 'tokens' }, '1 2\n', '1  3') // 'token 2: expected "2", got "3"'
 * ```
 */
export function check(checker: Checker, expected: string, actual: string): Difference {
  // No checker tells apart what is the same; only an expression may mean something else than itself.
  if (expected === actual && checker.type !== 'regex') return undefined
  switch (checker.type) {
    case 'exact':
      return parted(expected, actual)
    case 'trimmed':
      return firstDifference('line', linesOf(expected), linesOf(actual))
    case 'tokens':
      return firstDifference('token', tokensOf(expected), tokensOf(actual))
    case 'numbers':
      return numbersDifference(expected, actual, checker)
    case 'lines':
      return unorderedDifference('line', fullLinesOf(expected), fullLinesOf(actual))
    case 'sorted':
      return unorderedDifference('token', tokensOf(expected), tokensOf(actual))
    case 'regex':
      return regexDifference(expected, actual)
    case 'json':
      return jsonDifference(expected, actual)
    default:
      return checker satisfies never
  }
}
