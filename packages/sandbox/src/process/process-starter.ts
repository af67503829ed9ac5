import { PROCESS_RUNTIME, RetryableError, TerminalError } from '@isopod/protocol'
import type { ContainerIsolation } from '../contract/outcome.ts'
import type { JobStart } from '../driver/container.ts'
import type { ContainerKind, ContainerPurpose } from '../driver/container-kind.ts'
import { ImageFaultError } from '../driver/faults.ts'
import { InitContainer } from '../driver/init-container.ts'
import type { ContainerSubject, SandboxEvent } from '../driver/sandbox-events.ts'
import type { Users } from '../driver/users.ts'
import { Wire } from '../driver/wire.ts'
import { cgroupLimits, ProcessHost } from './process-host.ts'
import { placeInCgroups, type SandboxRecord, type SandboxRecords } from './records.ts'
import type { Roots } from './roots.ts'
import type { SandboxPlace, SandboxPlaces } from './sandbox-places.ts'
import { type HostPaths, sandboxSteps } from './sandbox-steps.ts'
import type { SandboxProcess } from './spawner.ts'
import type { Timed } from './timed.ts'

/** Options of a {@link ProcessStarter}. */
export interface ProcessStarterOptions {
  readonly roots: Roots
  readonly places: SandboxPlaces
  readonly records: SandboxRecords
  readonly host: HostPaths
  readonly users: Users
  /** Files with compiled seccomp profiles, by name. */
  readonly filters: ReadonlyMap<string, string>
  readonly timed: Timed
  readonly observe: (event: SandboxEvent) => void
  /** What isolates every sandbox. */
  readonly isolation: ContainerIsolation
  /** Parts of every record. */
  readonly mark: Pick<SandboxRecord, 'deployment' | 'owner'>
  /** Removes a sandbox in the background. @param ending in which it ends by itself */
  readonly remove: (place: SandboxPlace, afterwards: () => void, ending?: Promise<void>) => void
}

/** Starts sandboxes as processes of this host: takes a place, sends the steps, waits for init. */
export class ProcessStarter {
  readonly #options: ProcessStarterOptions

  constructor(options: ProcessStarterOptions) {
    this.#options = options
  }

  /**
   * Starts one sandbox. On failure, removes it.
   *
   * @throws a platform fault, or the signal's reason once aborted
   */
  async start(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<InitContainer> {
    signal.throwIfAborted()
    const { roots, users, places, records, host: paths, mark, observe, timed, isolation } = this.#options
    if (kind.runtime !== undefined && kind.runtime !== PROCESS_RUNTIME) {
      throw new ImageFaultError(
        `runtime ${kind.runtime} is not offered by the process driver; it has ${PROCESS_RUNTIME}`,
      )
    }
    const filter = this.#filterOf(kind)
    const root = await roots.find(kind.image)
    signal.throwIfAborted()
    const { origin, job, attempt, deadline } = purpose
    const forks = kind.preload?.forks === true
    const taking = places.take()
    const place = await timed('create', () => taking).catch((error: unknown) => {
      // It may come too late.
      taking.then((late) => this.#options.remove(late, () => {})).catch(() => {})
      throw error
    })
    const { id, cgroup, process } = place
    const user = users.take()
    let subject: ContainerSubject = { container: id, job, attempt }
    let container: InitContainer | undefined
    const remove = (ending?: Promise<void>) => {
      const afterwards = () => {
        users.release(user)
        observe({ type: 'container_removed', ...subject })
      }
      this.#options.remove(place, afterwards, ending)
    }
    const assign = (to: JobStart) => {
      subject = { container: id, job: to.id, attempt: to.attempt }
      observe({ type: 'container_assigned', ...subject })
    }
    try {
      observe({ type: 'container_created', ...subject })
      signal.throwIfAborted()
      await timed('start', async () => {
        cgroup.setLimits(cgroupLimits(kind.limits, forks))
        records.add(id, { ...mark, job, attempt, deadline, ...placeInCgroups(cgroup) })
        const { limits, opens } = kind
        process.send(sandboxSteps(paths, { limits, user, root: root.path, filter, opens, cgroup }))
      })
      const runtime = PROCESS_RUNTIME
      const facts = { id, imageDigest: root.digest, runtime, isolation, user, origin, deadline }
      const host = new ProcessHost({ process, cgroup, forks, timed, assign, remove })
      container = new InitContainer({ facts, wire: new Wire(process.wire), host, forks })
      await this.#untilReady(container, process)
      signal.throwIfAborted()
      return container
    } catch (error) {
      if (container) container.destroy()
      else remove()
      roots.forget(kind.image)
      throw error
    }
  }

  #filterOf({ profile }: ContainerKind): string {
    const filter = this.#options.filters.get(profile)
    if (filter === undefined) throw new TerminalError(`there is no seccomp profile ${profile}`)
    return filter
  }

  /** @throws {RetryableError} with the reason, if a step failed */
  async #untilReady(container: InitContainer, process: SandboxProcess): Promise<void> {
    const { timed } = this.#options
    try {
      await container.untilReady()
    } catch (error) {
      const { message } = await timed('exit', () => process.ended)
      if (message === '') throw error
      throw new RetryableError(`the sandbox did not start: ${message}`, { cause: error })
    }
  }
}
