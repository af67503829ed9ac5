import type { Random } from './random.ts'

/** Number of resamples for an interval. */
export const RESAMPLES = 10_000

/**
 * The quantile of the values for a share, interpolated between neighbours (type 7 of Hyndman and Fan).
 *
 * @param share from 0 to 1
 * @throws {RangeError} if there is no value
 */
export function quantile(values: readonly number[], share: number): number {
  return quantileOfSorted(Float64Array.from(values).sort(), share)
}

/** The middle value. @throws {RangeError} if there is none */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/**
 * The 95 % confidence interval of the median, by the percentile bootstrap: `resamples` samples are drawn with replacement.
 *
 * @throws {RangeError} if there is no value
 */
export function medianInterval(
  values: readonly number[],
  random: Random,
  resamples = RESAMPLES,
): readonly [low: number, high: number] {
  const sample = Float64Array.from(values).sort()
  const medians = new Float64Array(resamples)
  const draw = new Float64Array(sample.length)
  for (let round = 0; round < resamples; round += 1) {
    for (let at = 0; at < draw.length; at += 1) draw[at] = sample[Math.floor(random() * sample.length)] ?? 0
    medians[round] = quantileOfSorted(draw.sort(), 0.5)
  }
  medians.sort()
  return [quantileOfSorted(medians, 0.025), quantileOfSorted(medians, 0.975)]
}

function quantileOfSorted(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]
  const above = sorted[Math.ceil(at)]
  if (below === undefined || above === undefined)
    throw new RangeError('there is no value to take a quantile of')
  return below + (above - below) * (at - Math.floor(at))
}
