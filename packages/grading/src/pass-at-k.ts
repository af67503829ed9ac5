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

/** Samples of the problems that the interval is taken from. */
const RESAMPLES = 2_000

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
 * The same over many problems: their mean, with an interval from drawing problems anew, the same one for the same tallies.
 *
 * @returns undefined unless some problem has at least k samples; those with fewer do not count
 */
export function meanPassAtK(problems: readonly ProblemTally[], k: number): Estimate | undefined {
  const values = problems.flatMap((problem) => passAtK(problem, k) ?? [])
  if (values.length === 0) return undefined
  const random = generator(values.length * 31 + k)
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let left = values.length; left > 0; left--) sum += values[Math.floor(random() * values.length)] ?? 0
    return sum / values.length
  }).sort((one, other) => one - other)
  const at = (share: number) => means[Math.floor(share * (RESAMPLES - 1))] ?? 0
  return {
    value: values.reduce((sum, value) => sum + value, 0) / values.length,
    low: at(0.025),
    high: at(0.975),
  }
}

/** Numbers from 0 up to 1 (mulberry32): an interval is no place for chance. */
function generator(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
