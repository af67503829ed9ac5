import type { GiveUp, Handle } from './delivery.ts'

/** How jobs are taken, once everything that they need is there. */
export interface Taking {
  /** Jobs at once. */
  readonly concurrency: number
  /**
   * How many jobs to hold right now; what is above `concurrency` is for handlers that only wait, while others could run.
   * @default concurrency
   */
  readonly wanted?: () => number
  readonly handle: Handle
  readonly giveUp: GiveUp
  /** How long a job stays with a worker that has gone silent, in milliseconds. @default 15000 */
  readonly lockDurationMs?: number
  /** How often jobs of silent workers are looked for, in milliseconds. @default 5000 */
  readonly stalledIntervalMs?: number
}
