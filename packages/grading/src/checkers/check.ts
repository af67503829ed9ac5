import { type Difference, diffTexts, firstDifference } from './difference.ts'
import { jsonDifference } from './json-equal.ts'
import { numbersDifference, type Tolerance } from './numbers.ts'
import { regexDifference } from './regex.ts'
import { fullLinesOf, linesOf, tokensOf } from './tokenize.ts'
import { unorderedDifference } from './unordered.ts'

/** How to compare output with the expected output. The list is closed. */
export type Checker =
  /** Byte for byte. */
  | { readonly type: 'exact' }
  /** Line by line, without white space at line ends and empty lines at the end. */
  | { readonly type: 'trimmed' }
  /** Word by word; all white space is equal. */
  | { readonly type: 'tokens' }
  /** Word by word; numbers may differ within a tolerance. */
  | ({ readonly type: 'numbers' } & Tolerance)
  /** The same lines in any order, each equally often, without empty lines and white space at line ends. */
  | { readonly type: 'lines' }
  /** The same words in any order, each equally often. */
  | { readonly type: 'sorted' }
  /** The expected output is a regular expression (RE2) for the whole output, except trailing white space. */
  | { readonly type: 'regex' }
  /** Both are JSON documents with equal values. */
  | { readonly type: 'json' }

/**
 * Compares one output with the expected output, in time linear in both.
 *
 * @returns undefined if it passes, else the difference in one sentence with short quotes of both
 * @example
 * ```ts
 * check({ type: 'tokens' }, '1 2\n', '1  3') // 'token 2: expected "2", got "3"'
 * ```
 */
export function check(checker: Checker, expected: string, actual: string): Difference {
  // Equal texts pass every checker, except that an expression need not match itself.
  if (expected === actual && checker.type !== 'regex') return undefined
  switch (checker.type) {
    case 'exact':
      return diffTexts(expected, actual)
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
