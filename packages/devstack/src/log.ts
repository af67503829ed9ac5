/** Receives one line per step. Not called if there is nothing to do. */
export type Log = (line: string) => void

/** Seconds since `startedAt` (from `performance.now()`) as text: `0.4 s`, `17 s`. */
export function secondsSince(startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1000
  return `${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s`
}
