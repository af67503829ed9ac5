/** How one problem's samples did. */
export interface ProblemTally {
  /** Samples that were judged. */
  readonly samples: number
  /** Those that passed. */
  readonly passed: number
}

/** An estimate, and between which values the true one lies nineteen times out of twenty. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** Quantile of the normal distribution for nineteen times out of twenty. */
const Z = 1.959964

/**
 * The chance that of k samples of one problem at least one passes, as an unbiased estimate from n of them: 1 - C(n-c, k) / C(n, k)
 * (Chen et al., Evaluating Large Language Models Trained on Code, 2021).
 *
 * @returns undefined where there are fewer than k samples
 */
export function passAtK({ samples, passed }: ProblemTally, k: number): number | undefined {
  if (samples < k) return undefined
  const failed = samples - passed
  if (failed < k) return 1
  // As a product: the binomials themselves soon leave what a number can hold.
  let none = 1
  for (let each = failed + 1; each <= samples; each++) none *= 1 - k / each
  return 1 - none
}

/**
 * The same over many problems: their mean, with Wilson's interval for it, which has a width when all passed or none did.
 *
 * @returns undefined unless some problem has at least k samples; those with fewer do not count
 */
export function meanPassAtK(problems: readonly ProblemTally[], k: number): Estimate | undefined {
  const counted = problems.filter(({ samples }) => samples >= k)
  const values = counted.map((problem) => passAtK(problem, k) ?? 0)
  if (values.length === 0) return undefined
  const value = Math.min(1, mean(values))
  const variance = mean(values.map((each) => (each - value) ** 2))
  // Values that lie closer together than noughts and ones tell more of their mean than as many throws of a coin, but no more
  // than each sample would as a throw of its own.
  const most = counted.reduce((sum, { samples }) => sum + samples, 0)
  const spread = value * (1 - value)
  const throws = spread === 0 ? values.length : Math.min((values.length * spread) / variance, most)
  return { value, ...wilson(value, throws) }
}

/** Wilson's interval for a share that was seen in so many throws (Wilson, 1927). */
function wilson(share: number, throws: number): Pick<Estimate, 'low' | 'high'> {
  const pull = Z ** 2 / throws
  const middle = (share + pull / 2) / (1 + pull)
  const half = (Z * Math.sqrt((share * (1 - share)) / throws + pull / (4 * throws))) / (1 + pull)
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
