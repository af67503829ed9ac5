import { RE2JS } from 're2js'
import { type Difference, quoted } from './difference.ts'

/** Characters of output that are matched; an expression is no way to say what a longer one should be. */
const MOST_CHARACTERS = 1024 * 1024

/** Matches the whole output, white space at its end aside, with an expression that no input can make slow. */
export function regexDifference(pattern: string, actual: string): Difference {
  const expression = compiled(pattern)
  if (expression === undefined)
    return `the expected output is no regular expression (RE2): ${quoted(pattern)}`
  if (actual.length > MOST_CHARACTERS) return `the output is longer than ${MOST_CHARACTERS} characters`
  if (expression.matches(actual.trimEnd())) return undefined
  return `expected a match of ${quoted(pattern)}, got ${quoted(actual)}`
}

/** Why an expression cannot be used; undefined if it can. */
export function regexProblem(pattern: string): string | undefined {
  return compiled(pattern) === undefined ? `is no regular expression (RE2): ${quoted(pattern)}` : undefined
}

function compiled(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}
