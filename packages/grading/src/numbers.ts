import { canonicalDecimal } from './decimal.ts'
import { type Difference, firstDifference } from './difference.ts'
import { tokensOf } from './pieces.ts'

/** How far a number may be off, by either of the two, and what else does not count. */
export interface Tolerance {
  /** @default 1e-9 */
  readonly absolute?: number | undefined
  /** As a share of the expected number. @default 1e-9 */
  readonly relative?: number | undefined
  /** Whether words that are no numbers may be written in other cases. @default false */
  readonly ignoreCase?: boolean | undefined
}

const DEFAULT = 1e-9
/** Digits can be read in one way only: who may divide them as he likes tries each. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const NAMED = /^([+-]?)(?:(inf(?:inity)?)|(nan))$/i

/** Compares word by word: numbers within the tolerance, everything else to the letter. */
export function numbersDifference(
  expected: string,
  actual: string,
  { absolute = DEFAULT, relative = DEFAULT, ignoreCase = false }: Tolerance = {},
): Difference {
  return firstDifference('token', tokensOf(expected), tokensOf(actual), (wanted, got) => {
    if (wanted === got) return true
    const [one, other] = [numberOf(wanted), numberOf(got)]
    if (one === undefined || other === undefined) {
      return ignoreCase && wanted.toLowerCase() === got.toLowerCase()
    }
    // A share of what is infinite is infinite, and would let everything pass.
    const allowed = Number.isFinite(one) ? Math.max(absolute, relative * Math.abs(one)) : 0
    if (!Object.is(one, other)) return Math.abs(other - one) <= allowed
    if (NAMED.test(wanted) || NAMED.test(got)) return NAMED.test(wanted) && NAMED.test(got)
    // JavaScript rounds: where nothing is allowed, and beyond what it can count, each digit is looked at.
    return allowed > 0 || canonicalDecimal(wanted) === canonicalDecimal(got)
  })
}

/** What a word stands for; undefined if that is no number. */
function numberOf(word: string): number | undefined {
  if (NUMBER.test(word)) return Number(word)
  const [, sign, infinity, nan] = NAMED.exec(word) ?? []
  if (nan !== undefined) return Number.NaN
  if (infinity !== undefined) return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return undefined
}
