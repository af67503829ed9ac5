import { type Difference, firstDifference } from './difference.ts'
import { tokensOf } from './pieces.ts'

/** How far a number may be off: by either of the two. */
export interface Tolerance {
  /** @default 1e-9 */
  readonly absolute?: number | undefined
  /** As a share of the expected number. @default 1e-9 */
  readonly relative?: number | undefined
}

const DEFAULT = 1e-9
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const NAMED = /^([+-]?)(?:(inf(?:inity)?)|(nan))$/i

/** Compares word by word: numbers within the tolerance, everything else to the letter. */
export function numbersDifference(
  expected: string,
  actual: string,
  { absolute = DEFAULT, relative = DEFAULT }: Tolerance = {},
): Difference {
  return firstDifference('token', tokensOf(expected), tokensOf(actual), (wanted, got) => {
    if (wanted === got) return true
    const [one, other] = [numberOf(wanted), numberOf(got)]
    if (one === undefined || other === undefined) return false
    if (Object.is(one, other)) return NAMED.test(wanted) === NAMED.test(got)
    // A share of what is infinite is infinite, and would let everything pass.
    if (!Number.isFinite(one)) return false
    return Math.abs(other - one) <= Math.max(absolute, relative * Math.abs(one))
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
