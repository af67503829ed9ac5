import type { GiveUp, Handle } from './delivery.ts'

/** How a worker takes and handles jobs. */
export interface JobWorkerOptions {
  /** Maximum number of running jobs. */
  readonly concurrency: number
  /**
   * Returns the current maximum number of taken jobs. It may exceed `concurrency` while handlers only wait.
   * @default concurrency
   */
  readonly wanted?: (() => number) | undefined
  readonly handle: Handle
  readonly giveUp: GiveUp
  /** How long a job stays with a worker that does not renew its lock, in milliseconds. @default 15000 */
  readonly lockDurationMs?: number
  /** How often to look for jobs of such workers, in milliseconds. @default 5000 */
  readonly stalledIntervalMs?: number
}
