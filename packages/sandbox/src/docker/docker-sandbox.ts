import type { BatchOptions } from '../batch/batch-options.ts'
import type { Sandbox } from '../sandbox.ts'
import type { CanaryFinding, SelfTestReport } from '../self-test/finding.ts'
import type { DiskReadLimit } from './container-options.ts'
import type { EngineFacts } from './engine-facts.ts'
import type { PoolSettings } from './open-pool.ts'
import type { SandboxEvent } from './sandbox-events.ts'
import type { LanguageProfile } from './seccomp/language-profiles.ts'
import type { UserRange } from './users.ts'

/** What a sandbox on a Docker engine is made with. */
export interface DockerSandboxOptions {
  /** `unix:///path`, a plain path, or `tcp://host:port`. */
  readonly address: string
  /** Only containers of this deployment are ever reaped. */
  readonly deployment: string
  /** Id of the worker; the reaper of any worker removes containers whose owner is gone. */
  readonly owner: string
  /** Whom programs run as: each container gets an id of its own. */
  readonly users: UserRange
  /** OCI runtime: `runc`, `crun`, `runsc`… @default the engine's own */
  readonly runtime?: string | undefined
  /** Accept a runc with known escapes; it is told as a warning then. @default false */
  readonly allowOldRunc?: boolean
  /** File with a seccomp profile in Docker's JSON format. @default ours, deploy/seccomp/profile.yaml */
  readonly seccompProfile?: string | undefined
  /** Seccomp profiles beside that one, which is `default`: files of deploy/seccomp or of a directory of the operator's. */
  readonly languageProfiles?: { readonly names: readonly string[]; readonly directory?: string | undefined }
  /** AppArmor profile of every container: one that the host has loaded. @default the engine's own, if the host has any */
  readonly appArmor?: string | undefined
  /** How fast each container may read from the disk that images lie on. @default as fast as it gives */
  readonly diskReads?: DiskReadLimit | undefined
  /** Containers that wait for a job. @default none do */
  readonly pool?: PoolSettings | undefined
  /** More labels for every container. */
  readonly labels?: Readonly<Record<string, string>>
  /** How long the reaper doubts that an owner is gone, in milliseconds. @default 12000 */
  readonly reaperDoubtMs?: number
  /** How long containers serve their batch. */
  readonly batch?: BatchOptions
  readonly observe?: (event: SandboxEvent) => void
}

/** A sandbox whose environments are containers of one Docker engine. */
export interface DockerSandbox extends Sandbox {
  readonly facts: EngineFacts
  /** What the operator should know about this engine, a sentence each. */
  readonly warnings: readonly string[]
  /** The seccomp profiles that languages may name, by name. */
  readonly profiles: ReadonlyMap<string, LanguageProfile>
  /** Resolves if the engine answers. @throws {UnavailableError} otherwise */
  ping(): Promise<void>
  /** Removes what crashed workers of this deployment left. Resolves with how many containers that were. */
  reap(alive: (owners: string[]) => Promise<ReadonlySet<string>>): Promise<number>
  /** Content digest of what an image's reference means now. @throws {ImageFaultError} if the engine lacks it */
  digest(reference: string): Promise<string>
  /** Says which of these images the engine lacks. */
  missingImages(references: readonly string[]): Promise<string[]>
  /**
   * Attacks containers made just as a job's, each by another canary, and says what became of each. They are made on the
   * spot: those that wait are made by the same code with the same flags, and differ in nothing but that.
   *
   * @param image any image of this engine; none of its programs is started
   * @param options.runtime OCI runtime of the containers; the deployment's by default
   */
  selfTest(
    image: string,
    options?: { runtime?: string; signal?: AbortSignal; onFinding?: (finding: CanaryFinding) => void },
  ): Promise<SelfTestReport>
  /** Executions under way, containers that wait for their batch, those on their way out, and those that wait for a job, by image. */
  counts(): {
    readonly running: number
    readonly shelved: number
    readonly removing: number
    readonly waiting: ReadonlyMap<string, number>
  }
}
