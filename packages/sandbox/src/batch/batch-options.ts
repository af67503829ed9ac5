/** How long containers serve their batch. */
export interface BatchOptions {
  /** Most containers that wait for the next execution of their batch, of all batches together. @default four per core */
  readonly containers?: number | undefined
  /** How long one waits, in milliseconds. @default 60000 */
  readonly idleMs?: number
  /** Executions after which one is not used again. @default 1000 */
  readonly executions?: number
}
