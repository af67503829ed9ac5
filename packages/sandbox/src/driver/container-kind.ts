import type { LimitsOf } from '@isopod/protocol'
import type { ContainerOrigin } from '../contract/outcome.ts'
import type { PreloadPlan } from './preload.ts'

/** Limits that can be changed while a container runs. */
export type ChangeableLimits = LimitsOf<'container'>

/** The limits of a container; the others belong to each run. A process that it starts ahead has those of a process. */
export type ContainerLimits = ChangeableLimits & LimitsOf<'creation' | 'process'>

/** What containers of one kind have in common, whichever execution they are for. */
export interface ContainerKind {
  /** Reference of the image. */
  readonly image: string
  /** OCI runtime. @default the sandbox's own */
  readonly runtime: string | undefined
  readonly limits: ContainerLimits
  /** Name of its seccomp profile. */
  readonly profile: string
  /** Files of the image that it opens before the program comes. */
  readonly opens: readonly string[]
  /** Interpreter that it starts before the program comes. @default none */
  readonly preload?: PreloadPlan | undefined
}

/** What one container of a kind is for. */
export interface ContainerPurpose {
  /** Equal for the same purpose, so that a create whose answer was lost is found again. */
  readonly name: string
  readonly origin: ContainerOrigin
  /** The job, and which start of it; '' and 0 for a container of the pool. */
  readonly job: string
  readonly attempt: number
  /** Epoch milliseconds after which the reaper may remove it. */
  readonly deadline: number
}
