import type { Limits } from '@isopod/protocol'
import type { ContainerOrigin } from '../contract/outcome.ts'
import type { PreloadPlan } from './preload.ts'

/** The limits of a container; the others belong to each run. */
export type ContainerLimits = Pick<Limits, 'memoryMb' | 'cpus' | 'processes' | 'diskMb' | 'openFiles'>

/** Those that can be changed while a container runs. */
export type ChangeableLimits = Pick<ContainerLimits, 'memoryMb' | 'cpus' | 'processes'>

/** What containers of one kind have in common; part of no single execution. */
export interface ContainerKind {
  /** Reference of the image. */
  readonly image: string
  /** OCI runtime. @default the sandbox's own */
  readonly runtime: string | undefined
  readonly limits: ContainerLimits
  /** Name of its seccomp profile. */
  readonly profile: string
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
