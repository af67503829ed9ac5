import type { ContainerOrigin } from './sandbox.ts'

/** What distinguishes one container from the next of its kind. */
export interface ContainerPurpose {
  /** The same name for the same purpose, so that a create whose answer was lost is found again. */
  readonly name: string
  readonly origin: ContainerOrigin
  /** Which start of which job it is for; a container that waits for one has no job and attempt 0. */
  readonly job: string
  readonly attempt: number
  /** Epoch milliseconds after which nobody can still need it. */
  readonly deadline: number
}
