/** Takes one plain line about something that is being done; never called when nothing is to be done. */
export type Log = (line: string) => void

/** Seconds since `startedAt` (from `performance.now()`), as people read it: `0.4 s`, `17 s`. */
export function secondsSince(startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1000
  return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`
}
