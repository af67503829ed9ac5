import { type CappedLimit, limitsSchema } from '../src/limits.ts'

/** Minimum and maximum of each numeric limit. */
export const LIMIT_RANGES = rangesOf(limitsSchema.shape)

function rangesOf({ onOverflow: _, ...numbers }: typeof limitsSchema.shape) {
  const ranges = Object.entries(numbers).map(([name, schema]) => {
    const { minValue, maxValue } = schema.unwrap()
    return [name, [minValue ?? Number.NaN, maxValue ?? Number.NaN]]
  })
  return Object.fromEntries(ranges) as Record<CappedLimit, readonly [number, number]>
}
