import type { InitFrame, Ready, Reset } from '@isopod/init'
import type { ContainerFacts } from '../contract/outcome.ts'
import type { ChangeableLimits, ContainerLimits } from './container-kind.ts'
import type { PreloadPlan } from './preload.ts'

/** How a container ended, if its init was not asked to quit. */
export interface ContainerEnd {
  /** Exit code of PID 1 as the driver saw it. */
  readonly exitCode: number
  /** Whether the driver saw an out-of-memory kill; a hint, used only if init itself was killed. */
  readonly outOfMemory: boolean
}

/** Limits of a container that only its host can see. */
export interface HostLimits {
  readonly cpus: number
  /** MiB of memory and swap together; null where the host does not account for swap. */
  readonly memorySwapMb: number | null
  /** Most tasks of the host that the container may have, those of its own kernel included. */
  readonly tasks: number
  /** Read from the container's cgroup on this host, or from the engine's record. */
  readonly source: 'kernel' | 'engine'
}

/** Memory counters of a container that only its host can see, since the container started. */
export interface HostMemory {
  readonly oomKills: number
  /** Bytes; null where the kernel does not say. */
  readonly peakBytes: number | null
}

/** One start of one job. */
export interface JobStart {
  readonly id: string
  readonly attempt: number
}

/** One started container whose init waits for frames. It serves one execution, or one after the other of a batch. */
export interface Container extends ContainerFacts {
  /** Epoch milliseconds after which the reaper may remove it. */
  readonly deadline: number
  /** What init read about its own confinement. */
  readonly ready: Ready
  /** User that its processes must run as. */
  readonly user: { readonly uid: number; readonly gid: number }
  /** Limits that init cannot see; undefined for a runtime that hides none. */
  readonly hostLimits: HostLimits | undefined
  /** Counters that init cannot see; undefined for a runtime that hides none, and on a remote host. */
  hostMemory(): Promise<HostMemory | undefined>
  /** Has init read its confinement again; `ready` is then what it found. */
  readConfinement(): Promise<Ready>
  /**
   * Has init restore the container's first state, prove it, and read its confinement as `readConfinement` does. Rejects if
   * init answers anything else; settles no later than the container ends.
   */
  reset(): Promise<Reset>
  /** Changes its limits while nothing runs in it; `ready` is then what init found. Rejects if the limits did not change. */
  change(limits: ChangeableLimits): Promise<void>
  /** Records the job that it serves from now on. */
  assign(to: JobStart): void
  /** Sends frames to init; never blocks, bytes wait in memory until the container reads them. */
  send(frames: Uint8Array): void
  /** The next frame of init, or undefined once the container is gone. One reader at a time. */
  receive(): Promise<InitFrame | undefined>
  /**
   * Waits for the container's end and says how it came; to be called after `receive` gave undefined. Rejects with a
   * `RetryableError` if the program cannot have caused it: the engine is gone, the connection was lost, an operator removed it.
   */
  end(): Promise<ContainerEnd>
  /** Kills and removes the container in the background; safe to call at any time and more than once. */
  destroy(): void
}

/** A container as a driver makes it: nothing has run in it, and it can wait for a job. */
export interface NewContainer extends Container {
  /** Whether its init is alive and idle; false for good once it has ended. */
  readonly waits: boolean
  /**
   * Has init start the interpreter of a plan. If that fails the container is as it was, and `preloaded` stays false.
   * Rejects if the container ended, or init answered anything else.
   */
  preload(plan: PreloadPlan, limits: ContainerLimits): Promise<void>
}
