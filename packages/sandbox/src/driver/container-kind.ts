import type { Limits } from '@isopod/protocol'
import type { ContainerOrigin } from '../contract/outcome.ts'
import type { PreloadPlan } from './preload.ts'

/** The limits that a container has from its making on; the others belong to each run. */
export type ContainerLimits = Pick<Limits, 'memoryMb' | 'cpus' | 'processes' | 'diskMb' | 'openFiles'>

/** Those of them that can be changed in a container that runs. */
export type ChangeableLimits = Pick<ContainerLimits, 'memoryMb' | 'cpus' | 'processes'>

/** All that containers of one kind have in common, known before there is any execution. */
export interface ContainerKind {
  /** Reference of the image. */
  readonly image: string
  /** OCI runtime. @default the sandbox's own */
  readonly runtime: string | undefined
  readonly limits: ContainerLimits
  /** Name of its seccomp profile. */
  readonly profile: string
  /** What it starts before there is a program. @default nothing */
  readonly preload?: PreloadPlan | undefined
}

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
