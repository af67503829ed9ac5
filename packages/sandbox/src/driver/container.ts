import type { InitFrame, Ready, Reset } from '@isopod/init'
import type { ContainerFacts } from '../contract/outcome.ts'
import type { ChangeableLimits, ContainerLimits } from './container-kind.ts'
import type { PreloadPlan } from './preload.ts'

/**
 * The two ways in which a program can end its container before init reports: it uses up the memory, or it controls init, which
 * then breaks the wire.
 */
export type ContainerEnd = 'memory' | 'wire'

/** Limits of a container that only its host can see. */
export interface HostLimits {
  readonly cpus: number
  /** MiB of memory and swap together; null where the host does not account for swap. */
  readonly memorySwapMb: number | null
  /** Maximum host tasks of the container, including those of its own kernel. */
  readonly tasks: number
  /** Read from the container's cgroup on this host, or from the engine's record. */
  readonly source: 'kernel' | 'engine'
}

/** Memory counters of a container that only its host can see, since the container started. */
export interface HostMemory {
  readonly oomKills: number
  /** Bytes; null where the kernel does not report it. */
  readonly peakBytes: number | null
}

/** One attempt of one job. */
export interface JobStart {
  readonly id: string
  readonly attempt: number
}

/** A started container whose init waits for frames. It serves one execution, or the executions of a batch in turn. */
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
  /** Has init read its confinement again, and updates `ready`. */
  readConfinement(): Promise<Ready>
  /**
   * Has init restore the container's initial state, verify it, and read its confinement as `readConfinement` does. Rejects
   * on any other answer; settles at the latest when the container ends.
   *
   * @param isUnderWay whether the exec frame of the last run asked for the reset, so that it only remains to wait for it
   */
  reset(options?: { readonly isUnderWay?: boolean }): Promise<Reset>
  /**
   * Announces that the exec frame of the next run may ask for the reset after it; the next `reset` then only waits for it.
   *
   * @returns whether the exec frame must ask: only if further executions use the container
   */
  resetAfterRun(): boolean
  /** Changes its limits while nothing runs in it, and updates `ready`. Rejects if the limits did not change. */
  changeLimits(limits: ChangeableLimits): Promise<void>
  /** Records the job that it serves from now on. */
  assign(to: JobStart): void
  /** Sends frames to init; never blocks, bytes wait in memory until the container reads them. */
  send(frames: Uint8Array): void
  /** The next frame of init, or undefined once the container is gone. One reader at a time. */
  receive(): Promise<InitFrame | undefined>
  /**
   * Waits for the container's end and returns how it ended; call it after `receive` returned undefined. Rejects with a
   * `RetryableError` if the program cannot have caused the end: the engine is gone, the connection was lost, or somebody else
   * killed or removed the container.
   */
  end(): Promise<ContainerEnd>
  /** Rejects with a `RetryableError` unless its host answers and says that the container runs. */
  confirmRunning(): Promise<void>
  /** Kills and removes the container in the background; safe to call at any time and more than once. */
  destroy(): void
}

/** A container fresh from its driver: nothing has run in it, and it can wait for a job. */
export interface NewContainer extends Container {
  /** Whether its init is alive and idle; false for good once it has ended. */
  readonly isIdle: boolean
  /**
   * Has init start the interpreter of a plan. If that fails, the container is unchanged and `preloaded` stays false.
   * Rejects if the container ended, or on any other answer of init.
   */
  preload(plan: PreloadPlan, limits: ContainerLimits): Promise<void>
}
