/** A human-readable duration: `0.4 ms`, `83 ms`, `1.25 s`. */
export function durationText(ms: number): string {
  if (ms < 10) return `${round(ms, 1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  return `${round(ms / 1000, ms < 10_000 ? 2 : 1)} s`
}

/** A human-readable number of bytes: `512 B`, `14.2 KiB`, `3.5 MiB`. */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`
  if (count < 1024 * 1024) return `${round(count / 1024, 1)} KiB`
  return `${round(count / 1024 / 1024, 1)} MiB`
}

/** How long ago something was: `now`, `12 s ago`, `3 min ago`, `2 h ago`. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 3) return 'now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} d ago`
}

function round(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)))
}
