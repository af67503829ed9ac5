/** Milliseconds as seconds: `0.034 s`, `5.00 s`, `74.1 s`; a dash where nothing was measured. */
export function secondsText(ms: number | null): string {
  if (ms === null) return '-'
  const value = ms / 1000
  return `${value.toFixed(value < 1 ? 3 : value < 10 ? 2 : 1)} s`
}

/** Bytes as MiB: `8.2 MiB`; a dash where nothing was measured. */
export function memoryText(bytes: number | null): string {
  return bytes === null ? '-' : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** A count and its noun, in digits alone, so that programs can read it too: `1 sample`, `2000 samples`. */
export function countText(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? '' : 's'}`
}

/** An age in its largest whole unit: `34 s`, `5 min`, `7 h`, `12 d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`
}
