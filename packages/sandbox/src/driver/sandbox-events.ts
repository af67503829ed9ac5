/** Operations of a driver that are counted and timed. */
export type DriverOperation =
  | 'create'
  | 'attach'
  | 'start'
  | 'ready'
  | 'look'
  | 'update'
  | 'preload'
  | 'exit'
  | 'inspect'
  | 'events'
  | 'remove'
  | 'list'
  | 'image'
  | 'volume'
  | 'ping'
  | 'info'

/** One finished operation of a driver; seconds. */
export interface DriverCall {
  readonly operation: DriverOperation
  readonly outcome: 'ok' | 'not_found' | 'timeout' | 'error'
  readonly seconds: number
}

/** One container and the start of a job that it is for; job '' and attempt 0 while it has no job. */
export interface ContainerSubject {
  readonly container: string
  readonly job: string
  readonly attempt: number
}

/** Whether a container was proven clean after an execution and serves the next one, or was discarded. */
export type ResetOutcome = 'clean' | 'discarded'

/** Why the reaper removed a container. */
export type ReapReason = 'deadline' | 'owner_gone'

/** What a sandbox reports for metrics, log and audit. */
export type SandboxEvent =
  | { readonly type: 'driver_call'; readonly call: DriverCall }
  | ({ readonly type: 'container_created' | 'container_assigned' | 'container_removed' } & ContainerSubject)
  | { readonly type: 'container_reset'; readonly outcome: ResetOutcome }
  | ({ readonly type: 'reaped'; readonly reason: ReapReason } & ContainerSubject)
  /** A job asked for a container of this image; a hit is one that was waiting. */
  | { readonly type: 'pool'; readonly image: string; readonly outcome: 'hit' | 'miss' }
  | { readonly type: 'refill_failed'; readonly image: string; readonly error: unknown }
  | { readonly type: 'removal_failed'; readonly container: string; readonly error: unknown }
