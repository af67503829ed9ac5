import type { ContainerIsolation } from '../contract/outcome.ts'
import type { NewContainer } from '../driver/container.ts'
import type { ContainerKind, ContainerPurpose } from '../driver/container-kind.ts'
import type { AliveOwners, Driver, DriverFacts } from '../driver/driver.ts'
import type { SandboxEvent } from '../driver/sandbox-events.ts'
import { type UserRange, Users } from '../driver/users.ts'
import type { LanguageProfile } from '../seccomp/language-profiles.ts'
import type { DiskReadLimit } from './container-options.ts'
import { ContainerStarter } from './container-starter.ts'
import type { Engine } from './engine/engine.ts'
import { DockerImages } from './images.ts'
import { InitVolume } from './init-volume.ts'
import { LABELS } from './labels.ts'
import { reap, removeContainersOf } from './reaper.ts'
import { Remover } from './remover.ts'

/** Options of {@link DockerDriver}. */
export interface DockerDriverOptions {
  /** `unix:///path`, a plain path, or `tcp://host:port`. */
  readonly address: string
  /** Containers of another deployment are reaped only after their deadline. */
  readonly deployment: string
  /** Id of the worker; the reaper of any worker removes containers whose owner is gone. */
  readonly owner: string
  /** Users of programs; each container gets its own id while there are enough. */
  readonly users: UserRange
  /** OCI runtime: `runc`, `crun`, `runsc`… @default the engine's own */
  readonly runtime?: string | undefined
  /** Whether to accept a runc with known escapes, with a warning. @default false */
  readonly allowOldRunc?: boolean
  /** File with a seccomp profile in Docker's JSON format. @default ours, deploy/seccomp/profile.yaml */
  readonly seccompProfile?: string | undefined
  /** Further seccomp profiles that languages name: files of deploy/seccomp or of the operator's directory. */
  readonly languageProfiles?: { readonly names: readonly string[]; readonly directory?: string | undefined }
  /** AppArmor profile of every container: one that the host has loaded. @default the engine's own, if the host has any */
  readonly appArmor?: string | undefined
  /** How fast each container may read from the disk that holds the images. @default as fast as the disk is */
  readonly diskReads?: DiskReadLimit | undefined
  /** Further labels of every container. */
  readonly labels?: Readonly<Record<string, string>>
  /** How long an owner must have no lease before it counts as gone, in milliseconds. @default 12000 */
  readonly reaperGraceMs?: number
  readonly observe?: ((event: SandboxEvent) => void) | undefined
}

/** A checked engine, with its facts and the seccomp profiles. */
export interface CheckedEngine {
  readonly engine: Engine
  readonly facts: DriverFacts
  /** What isolates containers of a runtime. */
  readonly isolation: (runtime: string) => ContainerIsolation
  /** Seccomp profile of every container, as JSON. */
  readonly seccomp: string
  readonly profiles: ReadonlyMap<string, LanguageProfile>
}

/** Makes containers on one Docker engine. */
export class DockerDriver implements Driver {
  readonly facts: DriverFacts
  readonly images: DockerImages
  readonly #options: DockerDriverOptions
  readonly #engine: Engine
  readonly #observe: (event: SandboxEvent) => void
  readonly #remover: Remover
  readonly #starter: ContainerStarter

  constructor(options: DockerDriverOptions, checked: CheckedEngine) {
    const { engine, facts, isolation, seccomp, profiles } = checked
    const { deployment, owner, observe = () => {} } = options
    this.facts = facts
    this.images = new DockerImages(engine)
    this.#options = options
    this.#engine = engine
    this.#observe = observe
    this.#remover = new Remover(engine, (container, error) =>
      observe({ type: 'removal_failed', container, error }),
    )
    const labels = { ...options.labels, [LABELS.deployment]: deployment, [LABELS.owner]: owner }
    this.#starter = new ContainerStarter({
      engine,
      images: this.images,
      remover: this.#remover,
      initVolume: new InitVolume(engine, facts.architecture, labels),
      users: new Users(options.users),
      observe,
      runtime: facts.defaultRuntime,
      runtimes: facts.runtimes,
      isolation,
      seccomp,
      profiles,
      diskReads: options.diskReads,
      appArmor: options.appArmor,
      labels,
    })
  }

  get removing(): number {
    return this.#remover.size
  }

  ping(): Promise<void> {
    return this.#engine.ping()
  }

  make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<NewContainer> {
    return this.#starter.start(kind, purpose, signal)
  }

  async reap(alive: AliveOwners): Promise<number> {
    await this.#remover.retryFailed()
    const { deployment, reaperGraceMs } = this.#options
    return await reap({
      engine: this.#engine,
      remover: this.#remover,
      deployment,
      alive,
      onReaped: (subject, reason) => this.#observe({ type: 'reaped', ...subject, reason }),
      ...(reaperGraceMs !== undefined && { graceMs: reaperGraceMs }),
    })
  }

  async close(): Promise<void> {
    await this.#remover.idle()
    // Removes what this worker left: containers whose creation was answered too late, or whose removal failed.
    await removeContainersOf(this.#engine, this.#options.deployment, this.#options.owner)
  }
}
