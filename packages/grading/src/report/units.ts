/** A time with three digits: `12.3 ms`, `4.56 s`; a dash if it was not measured. */
export function duration(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1000) return `${digits(ms)} ms`
  return ms < 60_000 ? `${digits(ms / 1000)} s` : `${digits(ms / 60_000)} min`
}

/** A size of memory: `8.2 MiB`; a dash if it was not measured. */
export function mebibytes(bytes: number | null): string {
  return bytes === null ? '–' : `${digits(bytes / 1024 / 1024)} MiB`
}

/** A share as a percentage. Rounding never yields 100 % for less than all, or 0 % for more than none. */
export function percentText(share: number): string {
  const value = share * 100
  const shown = value.toFixed(1)
  if (shown === '100.0' && share < 1) return '> 99.9 %'
  if (shown === '0.0' && share > 0) return '< 0.1 %'
  return `${shown} %`
}

/** A count with thousands separators. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f')
}

/** A count and its noun: `1 sample`, `2 samples`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

function digits(value: number): string {
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2)
}
