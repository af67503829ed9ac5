import { canonicalDecimal } from './decimal.ts'
import { type Difference, firstDifference } from './difference.ts'
import { tokensOf } from './tokenize.ts'

/** Tolerance of a comparison of numbers; a number passes if it is within either bound. */
export interface Tolerance {
  /** @default 1e-9 */
  readonly absolute?: number | undefined
  /** Relative to the expected number. @default 1e-9 */
  readonly relative?: number | undefined
  /** Compares words other than numbers without case. @default false */
  readonly ignoreCase?: boolean | undefined
}

const DEFAULT = 1e-9
/** Unambiguous, so that matching does not backtrack. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const NAMED = /^([+-]?)(?:(inf(?:inity)?)|(nan))$/i

/** Compares word by word: numbers within the tolerance, other words exactly. */
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
    // A relative tolerance of infinity would accept everything.
    const allowed = Number.isFinite(one) ? Math.max(absolute, relative * Math.abs(one)) : 0
    if (!Object.is(one, other)) return Math.abs(other - one) <= allowed
    if (NAMED.test(wanted) || NAMED.test(got)) return NAMED.test(wanted) && NAMED.test(got)
    // JavaScript numbers round, so without a tolerance compare all digits.
    return allowed > 0 || canonicalDecimal(wanted) === canonicalDecimal(got)
  })
}

/** The number that a word represents; undefined if it is none. */
function numberOf(word: string): number | undefined {
  if (NUMBER.test(word)) return Number(word)
  const [, sign, infinity, nan] = NAMED.exec(word) ?? []
  if (nan !== undefined) return Number.NaN
  if (infinity !== undefined) return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return undefined
}
