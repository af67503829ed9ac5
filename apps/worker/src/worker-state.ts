/** States of a worker, in the order in which it passes them; it can go back and forth between `ready` and `paused`. */
export const WORKER_STATES = ['starting', 'ready', 'paused', 'draining', 'stopped'] as const

/** What a worker is doing as a whole. */
export type WorkerState = (typeof WORKER_STATES)[number]
