/**
 * States of a worker, in the order in which it passes them; it can go back and forth between `ready` and `paused`. One that
 * `failed_self_test` takes no job and leaves that state only to end.
 */
export const WORKER_STATES = [
  'starting',
  'failed_self_test',
  'ready',
  'paused',
  'draining',
  'stopped',
] as const

/** What a worker is doing as a whole. */
export type WorkerState = (typeof WORKER_STATES)[number]
