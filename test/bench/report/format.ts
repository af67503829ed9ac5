import type { Unit } from '../measure/book.ts'

/** A number with three significant digits. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return '–'
  if (size >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(size >= 10 ? 1 : 2)
}

/** A value with its unit: `12.3 ms`, `1,040 /s`, `98 %`, and `3` for a count. */
export function withUnit(value: number | null, unit: Unit): string {
  if (value === null) return '–'
  if (unit === 'count') return String(value)
  return unit === 'share' ? `${Math.round(value * 100)} %` : `${short(value)} ${unit}`
}

/** A ratio as a factor: `6.21x`. */
export function factor(ratio: number | null): string {
  return ratio === null ? '' : `${short(ratio)}x`
}

/** Whether a promise was kept, in one word. */
export function verdict(met: boolean | null): string {
  return met === null ? 'open' : met ? 'met' : 'missed'
}
