import type { EngineCall } from './engine.ts'

/** One container, and which start of which job it is for; job '' and attempt 0 for one that waits, and for one that never got a job. */
export interface ContainerOf {
  readonly container: string
  readonly job: string
  readonly attempt: number
}

/** What became of a container when an execution gave it back: given on, or thrown away because something was in doubt. */
export type ResetOutcome = 'clean' | 'discarded'

/** Why a container was taken away. */
export type ReapReason = 'deadline' | 'owner_gone'

/** What a sandbox tells those who count, log and audit. */
export type SandboxEvent =
  | { readonly type: 'engine_call'; readonly call: EngineCall }
  | ({ readonly type: 'container_created' | 'container_assigned' | 'container_removed' } & ContainerOf)
  | { readonly type: 'container_reset'; readonly outcome: ResetOutcome }
  | ({ readonly type: 'reaped'; readonly reason: ReapReason } & ContainerOf)
  /** A job asked for a container of this image; a hit is one that was waiting. */
  | { readonly type: 'pool'; readonly image: string; readonly outcome: 'hit' | 'miss' }
  | { readonly type: 'refill_failed'; readonly image: string; readonly error: unknown }
  | { readonly type: 'removal_failed'; readonly container: string; readonly error: unknown }
