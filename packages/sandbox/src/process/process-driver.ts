import type { NewContainer } from '../driver/container.ts'
import type { ContainerKind, ContainerPurpose } from '../driver/container-kind.ts'
import type { AliveOwners, Driver, DriverFacts } from '../driver/driver.ts'
import type { SandboxEvent } from '../driver/sandbox-events.ts'
import { type UserRange, Users } from '../driver/users.ts'
import type { CgroupTree } from './cgroup-tree.ts'
import { reapSandboxes } from './process-reaper.ts'
import { ProcessRemover } from './process-remover.ts'
import { ProcessStarter } from './process-starter.ts'
import type { SandboxRecords } from './records.ts'
import type { Roots } from './roots.ts'
import { SandboxPlaces } from './sandbox-places.ts'
import { type HostPaths, OWN_NAMESPACES } from './sandbox-steps.ts'
import type { Spawner } from './spawner.ts'
import { timedBy } from './timed.ts'

/** Options of {@link ProcessDriver}. */
export interface ProcessDriverOptions {
  /** Directory of the languages' roots. */
  readonly roots: string
  /** Directory for records, mount points and filters; all workers of a host share it. It must belong to the worker's user. */
  readonly state: string
  /** Sandboxes of another deployment are reaped only after their deadline. */
  readonly deployment: string
  /** Id of the worker; the reaper of any worker removes sandboxes whose owner is gone. */
  readonly owner: string
  /** Users of programs; a worker that is not root has its own user only. */
  readonly users: UserRange
  /** File with a seccomp profile in Docker's JSON format. @default ours, deploy/seccomp/profile.yaml */
  readonly seccompProfile?: string | undefined
  /** Further seccomp profiles that languages name: files of deploy/seccomp or of the operator's directory. */
  readonly languageProfiles?: { readonly names: readonly string[]; readonly directory?: string | undefined }
  /** How long an owner must have no lease before it counts as gone, in milliseconds. @default 12000 */
  readonly reaperGraceMs?: number
  readonly observe?: ((event: SandboxEvent) => void) | undefined
}

/** A checked host, with its facts. */
export interface CheckedHost {
  readonly facts: DriverFacts
  readonly roots: Roots
  readonly cgroups: CgroupTree
  readonly records: SandboxRecords
  readonly spawner: Spawner
  readonly paths: HostPaths
  readonly users: UserRange
  /** Files with compiled seccomp profiles, by name. */
  readonly filters: ReadonlyMap<string, string>
}

/** Makes sandboxes of namespaces and cgroups on the worker's own host, without an engine. */
export class ProcessDriver implements Driver {
  readonly facts: DriverFacts
  readonly images: Roots
  readonly #options: ProcessDriverOptions
  readonly #host: CheckedHost
  readonly #remover: ProcessRemover
  readonly #places: SandboxPlaces
  readonly #starter: ProcessStarter
  readonly #observe: (event: SandboxEvent) => void

  constructor(options: ProcessDriverOptions, host: CheckedHost) {
    const { deployment, owner, observe = () => {} } = options
    const { facts, roots, cgroups, records, spawner, paths, users, filters } = host
    this.facts = facts
    this.images = roots
    this.#options = options
    this.#host = host
    this.#observe = observe
    const timed = timedBy((call) => observe({ type: 'driver_call', call }))
    const onFailure = (container: string, error: unknown) =>
      observe({ type: 'removal_failed', container, error })
    this.#remover = new ProcessRemover({ cgroups, records, timed, onFailure })
    const mark = { deployment, owner }
    this.#places = new SandboxPlaces({
      ...{ cgroups, records, spawner, mark },
      remove: (place) => this.#remover.remove(place, () => {}),
    })
    this.#starter = new ProcessStarter({
      ...{ roots, places: this.#places, records, host: paths, filters, timed, observe, mark },
      users: new Users(users),
      isolation: { driver: 'process', namespaces: [...OWN_NAMESPACES], cgroup: cgroups.version },
      remove: (place, afterwards, ending) => this.#remover.remove(place, afterwards, ending),
    })
  }

  get removing(): number {
    return this.#remover.size
  }

  /** The host is this process's own. */
  async ping(): Promise<void> {}

  make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<NewContainer> {
    return this.#starter.start(kind, purpose, signal)
  }

  async reap(alive: AliveOwners): Promise<number> {
    const { deployment, reaperGraceMs } = this.#options
    await this.#host.spawner.removeDeadSockets()
    return await reapSandboxes({
      ...{ records: this.#host.records, remover: this.#remover, deployment, alive },
      onReaped: (subject, reason) => this.#observe({ type: 'reaped', ...subject, reason }),
      ...(reaperGraceMs !== undefined && { graceMs: reaperGraceMs }),
    })
  }

  async close(): Promise<void> {
    await this.#places.close()
    await this.#remover.idle()
    await this.#host.spawner.close()
    const own = [...this.#host.records.all()].filter(([, { owner }]) => owner === this.#options.owner)
    await Promise.all(own.map(([id, record]) => this.#remover.removeLeftover(id, record)))
    this.#host.cgroups.close()
  }
}
