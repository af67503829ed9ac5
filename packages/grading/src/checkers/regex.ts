import { RE2JS } from 're2js'
import { type Difference, quoted } from './difference.ts'

/** Maximum length of output to match, in characters; expressions are unsuitable for longer output. */
const MAX_CHARACTERS = 1024 * 1024

/** Matches the whole output, except trailing white space, with an expression in RE2, which takes linear time. */
export function regexDifference(pattern: string, actual: string): Difference {
  const expression = compiled(pattern)
  if (expression === undefined)
    return `the expected output is not a regular expression (RE2): ${quoted(pattern)}`
  if (actual.length > MAX_CHARACTERS) return `the output is longer than ${MAX_CHARACTERS} characters`
  if (expression.matches(actual.trimEnd())) return undefined
  return `expected a match of ${quoted(pattern)}, got ${quoted(actual)}`
}

/** Why an expression is invalid; undefined if it is valid. */
export function regexProblem(pattern: string): string | undefined {
  return compiled(pattern) === undefined ? `is not a regular expression (RE2): ${quoted(pattern)}` : undefined
}

function compiled(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}
