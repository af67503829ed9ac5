import type { Limits } from '@isopod/protocol'
import { type PreloadPlan, preloadPlan } from './preload-plan.ts'
import type { Execution } from './sandbox.ts'

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

/** The kind of container that an execution asks for. */
export function kindOf(execution: Execution): ContainerKind {
  const { language, runtime, limits } = execution
  const { memoryMb, cpus, processes, diskMb, openFiles } = limits
  return {
    image: language.image,
    runtime,
    limits: { memoryMb, cpus, processes, diskMb, openFiles },
    profile: language.seccomp_profile,
    preload: preloadPlan(execution),
  }
}
