import type { InitFrame, Ready, Reset } from '@isopod/init'
import type { ChangeableLimits } from './container-kind.ts'
import type { ContainerFacts, Execution } from './sandbox.ts'

/** Why the frames of a container ended before its init was told to quit. */
export interface ContainerEnd {
  /** Exit code of PID 1 as the engine saw it. */
  readonly exitCode: number
  /** The engine's own view of an out-of-memory kill; a hint only, used when init itself was killed. */
  readonly outOfMemory: boolean
}

/** Limits that only the host of a container can see. */
export interface OutsideLimits {
  readonly cpus: number
  /** MiB of memory and swap together; null where the host does not account for swap. */
  readonly memorySwapMb: number | null
  /** Tasks of the host that it may have, those of its kernel included. */
  readonly tasks: number
  /** The container's cgroup on this host, or only what the engine has on record. */
  readonly source: 'kernel' | 'engine'
}

/** What only the host of a container can see of its memory, since it was started. */
export interface OutsideMemory {
  readonly oomKills: number
  /** Bytes; null where the kernel does not say. */
  readonly peakBytes: number | null
}

/** One start of one job. */
export interface JobStart {
  readonly id: string
  readonly attempt: number
}

/** One started container whose init waits for its first byte. Used for one execution, or for one batch that asked for it. */
export interface Container extends ContainerFacts {
  /** Epoch milliseconds after which it is nobody's any more, and may be taken away. */
  readonly deadline: number
  /** What init read about its own confinement. */
  readonly ready: Ready
  /** Whom its processes must run as. */
  readonly user: { readonly uid: number; readonly gid: number }
  /** What the host says of limits that init cannot see; undefined for a runtime that hides none. */
  readonly outside: OutsideLimits | undefined
  /** What the host counts now and init cannot see; undefined for a runtime that hides nothing, and where the host is another. */
  outsideMemory(): Promise<OutsideMemory | undefined>
  /** Has init read its confinement anew, after a change of the limits or between two executions: `ready` is then what it found. */
  look(): Promise<Ready>
  /**
   * Has init bring the container back to how it began, prove it, and read its confinement anew, as `look` does. Rejects if
   * init answers anything else; ends no later than the container does.
   */
  reset(): Promise<Reset>
  /** Gives it other limits while nothing runs in it; `ready` is then what init found. Rejects if it did not get them. */
  change(limits: ChangeableLimits): Promise<void>
  /** Says whose it is from now on, where that is another than it was made for. */
  assign(to: JobStart): void
  /** Sends frames to init; never blocks, bytes wait in memory until the container reads them. */
  send(frames: Uint8Array): void
  /** The next frame of init, or undefined once the container is gone. One reader at a time. */
  receive(): Promise<InitFrame | undefined>
  /**
   * Waits for the container's end and says how it came; to be called after `receive` gave undefined. Rejects with a
   * `RetryableError` if that was not the program's doing: the engine is gone, the connection was lost, somebody removed it.
   */
  end(): Promise<ContainerEnd>
  /** Kills and removes the container in the background; safe to call at any time and more than once. */
  destroy(): void
}

/** Where an execution gets its container from: made on the spot, started ahead, or kept for its batch. */
export interface ContainerSource {
  /** Resolves with a container that nobody else has; rejects with a platform fault, or the signal's reason once aborted. */
  acquire(execution: Execution, signal: AbortSignal): Promise<Container>
  /**
   * Takes back a container after an execution that ended in order, by init's own word. Only those that keep containers for
   * a batch do anything but destroy it. One that is not given back is to be destroyed.
   */
  giveBack(container: Container, execution: Execution): void
}
