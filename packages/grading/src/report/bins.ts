import type { Measure } from './grades.ts'

/** One bar of a histogram: from `low` up to `high`. */
export interface Bin {
  readonly low: number
  readonly high: number
  readonly passed: number
  readonly others: number
}

/** A mark on an axis. */
export interface Tick {
  /** Position on the axis, 0 to 1. */
  readonly at: number
  readonly value: number
}

/** Values in bins of equal width on their axis, and the marks of that axis. */
export interface Binned {
  readonly bins: readonly Bin[]
  readonly ticks: readonly Tick[]
}

const LINEAR_BINS = 24
const TICKS = 6

/** Bins of equal width: 1, 2 or 5 times a power of ten. */
export function linearBins(values: readonly Measure[]): Binned {
  const [low, high] = rangeOf(values)
  // Values that hardly differ share a bin, because finer edges would not be representable.
  const width = niceStep(Math.max((high - low) / LINEAR_BINS, high / 1_000) || 1)
  const first = Math.floor(low / width)
  const last = Math.floor(high / width)
  const edge = (index: number) => (first + index) * width
  const bins = binned(values, last - first + 1, (value) => Math.floor(value / width) - first, edge)
  const end = bins.length * width
  const step = niceStep(end / TICKS)
  const ticks: Tick[] = []
  for (let value = Math.ceil(edge(0) / step) * step; value <= edge(0) + end * 1.0001; value += step) {
    ticks.push({ at: onAxis((value - edge(0)) / end), value })
  }
  return { bins, ticks }
}

const PER_DECADE = 10

/** Logarithmic bins, ten per power of ten, for values of different magnitudes. */
export function logarithmicBins(values: readonly Measure[]): Binned {
  const at = (value: number) => Math.floor(Math.log10(Math.max(value, 0.001)) * PER_DECADE + 1e-9)
  const [low, high] = rangeOf(values)
  const first = at(low)
  const bins = binned(
    values,
    at(high) - first + 1,
    (value) => at(value) - first,
    (index) => 10 ** ((first + index) / PER_DECADE),
  )
  const ticks: Tick[] = []
  const decades = bins.length / PER_DECADE
  for (let power = Math.floor(first / PER_DECADE); power <= (first + bins.length) / PER_DECADE; power++) {
    for (const digit of decades > 2 ? [1] : [1, 2, 5]) {
      const value = digit * 10 ** power
      const place = (Math.log10(value) * PER_DECADE - first) / bins.length
      if (place >= -1e-9 && place <= 1 + 1e-9) ticks.push({ at: onAxis(place), value })
    }
  }
  return { bins, ticks }
}

/** The smallest of 1, 2 and 5 times a power of ten that is at least `minimum`. */
export function niceStep(minimum: number): number {
  const power = 10 ** Math.floor(Math.log10(minimum))
  return ([1, 2, 5].find((digit) => digit * power >= minimum * 0.9999) ?? 10) * power
}

/** Moves a position that rounding put beyond the axis back to its end. */
function onAxis(place: number): number {
  return Math.max(0, Math.min(1, place))
}

function binned(
  values: readonly Measure[],
  count: number,
  indexOf: (value: number) => number,
  edge: (index: number) => number,
): Bin[] {
  const bins = Array.from({ length: count }, (_, index) => ({
    low: edge(index),
    high: edge(index + 1),
    passed: 0,
    others: 0,
  }))
  for (const { value, passed } of values) {
    const bin = bins[Math.min(count - 1, Math.max(0, indexOf(value)))]
    if (bin === undefined) continue
    if (passed) bin.passed += 1
    else bin.others += 1
  }
  return bins
}

/** Without spread arguments, which overflow the stack with 100,000 values. */
function rangeOf(values: readonly Measure[]): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, 0]
  for (const { value } of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return [Math.min(low, high), high]
}
