import type { Architecture } from '@isopod/init'
import type { NewContainer } from './container.ts'
import type { ContainerKind, ContainerPurpose } from './container-kind.ts'

/**
 * Makes containers. The sandbox decides which ones, when, and what runs in them. Every implementation passes the contract
 * suite (test/support/driver-contract.ts).
 */
export interface Driver {
  readonly facts: DriverFacts
  readonly images: Images
  /** Number of containers that are being removed. */
  readonly removing: number
  /** Resolves if containers can be made now. @throws {UnavailableError} otherwise, with a message for the operator */
  ping(): Promise<void>
  /**
   * Makes and starts a container, and waits until its init has reported its confinement. On failure, removes the container.
   *
   * @throws {ImageMissingError} if this host lacks the image, {@link ImageFaultError} if it lacks the runtime,
   *   {@link DriverUnavailableError} if the engine does not answer, another `RetryableError` or `TerminalError` for other
   *   faults, the signal's reason once aborted
   */
  make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<NewContainer>
  /**
   * Removes containers that crashed workers of this deployment left behind, and containers of any deployment past their
   * deadline.
   *
   * @param alive says which of these workers still hold their lease
   * @returns how many containers were removed
   */
  reap(alive: AliveOwners): Promise<number>
  /** Waits until every container of this worker is removed. Call it when nothing runs any more. */
  close(): Promise<void>
}

/** Says which of these workers still hold their lease. */
export type AliveOwners = (owners: string[]) => Promise<ReadonlySet<string>>

/** Looks up images on this host. */
export interface Images {
  /**
   * Content digest (`sha256:…`) of what a reference means now.
   *
   * @param runtime of the containers that it is for. @default the driver's own; only a driver of several sources tells them apart
   * @throws {ImageMissingError} if the image is not on this host
   */
  digest(reference: string, runtime?: string): Promise<string>
}

/** What a driver offers, and what it can enforce. */
export interface DriverFacts {
  /** Version of the engine that makes the containers; without one, of the kernel. */
  readonly version: string
  /** Architecture of the containers' host, which may differ from the worker's. */
  readonly architecture: Architecture
  readonly cgroup: 1 | 2
  readonly cpus: number
  readonly memoryBytes: number
  /** OCI runtimes that a kind may name. */
  readonly runtimes: readonly string[]
  /** Runtime of a kind that names none. */
  readonly defaultRuntime: string
  /** Whether swap can be limited; where it cannot, `memorySwapMb` of a result is null. */
  readonly limitsSwap: boolean
  /** Number of user ids for containers. */
  readonly users: number
  /** The seccomp profiles that a kind may name, by name; `default` is always among them. */
  readonly profiles: ReadonlyMap<string, SeccompFacts>
  /** Whether `default` is our own profile, not one of the operator's. */
  readonly ownProfile: boolean
  /** Warnings about this host for the operator, a sentence each. */
  readonly warnings: readonly string[]
}

/** What callers need to know about a seccomp profile. */
export interface SeccompFacts {
  /** SHA-256 of the profile, in hexadecimal digits. */
  readonly digest: string
  /** System calls that it blocks and `default` allows. */
  readonly blocked: ReadonlySet<string>
}
