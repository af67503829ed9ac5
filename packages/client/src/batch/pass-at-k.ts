/** Verdicts of one problem. */
export interface ProblemTally {
  /** Number of judged samples. */
  readonly samples: number
  /** Number of samples that passed. */
  readonly passed: number
}

/** An estimate with its 95 % confidence interval. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** Quantile of the normal distribution for 95 %. */
const Z = 1.959964

/**
 * Unbiased estimate of pass@k, the probability that at least one of k samples of a problem passes, from n samples of which c
 * passed: 1 - C(n-c, k) / C(n, k) (Chen et al., Evaluating Large Language Models Trained on Code, 2021).
 *
 * @returns undefined if there are fewer than k samples
 */
export function passAtK({ samples, passed }: ProblemTally, k: number): number | undefined {
  if (samples < k) return undefined
  const failed = samples - passed
  if (failed < k) return 1
  // As a product, because the binomials overflow.
  let none = 1
  for (let each = failed + 1; each <= samples; each++) none *= 1 - k / each
  return 1 - none
}

/**
 * Mean pass@k of many problems, with Wilson's interval, which is not empty even if all or none passed.
 *
 * @returns undefined if no problem has at least k samples; problems with fewer do not count
 */
export function meanPassAtK(problems: readonly ProblemTally[], k: number): Estimate | undefined {
  const counted = problems.filter(({ samples }) => samples >= k)
  const values = counted.map((problem) => passAtK(problem, k) ?? 0)
  if (values.length === 0) return undefined
  const value = Math.min(1, mean(values))
  const variance = mean(values.map((each) => (each - value) ** 2))
  // Effective sample size: values with a smaller variance than Bernoulli trials are worth more of them, up to one per sample.
  const maxTrials = counted.reduce((sum, { samples }) => sum + samples, 0)
  const spread = value * (1 - value)
  const trials = spread === 0 ? values.length : Math.min((values.length * spread) / variance, maxTrials)
  return { value, ...wilson(value, trials) }
}

/** Wilson's score interval for a proportion (Wilson, 1927). */
function wilson(share: number, trials: number): Pick<Estimate, 'low' | 'high'> {
  const pull = Z ** 2 / trials
  const middle = (share + pull / 2) / (1 + pull)
  const half = (Z * Math.sqrt((share * (1 - share)) / trials + pull / (4 * trials))) / (1 + pull)
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
