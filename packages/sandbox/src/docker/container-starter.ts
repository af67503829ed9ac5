import type { Duplex } from 'node:stream'
import { TerminalError } from '@isopod/protocol'
import type { ContainerIsolation } from '../contract/outcome.ts'
import type { JobStart } from '../driver/container.ts'
import type { ContainerKind, ContainerPurpose } from '../driver/container-kind.ts'
import { ImageFaultError, ImageMissingError } from '../driver/faults.ts'
import { InitContainer } from '../driver/init-container.ts'
import type { ContainerSubject, SandboxEvent } from '../driver/sandbox-events.ts'
import type { User, Users } from '../driver/users.ts'
import { Wire } from '../driver/wire.ts'
import type { LanguageProfile } from '../seccomp/language-profiles.ts'
import { DEFAULT_PROFILE } from '../seccomp/profile-file.ts'
import { containerOptions, type DiskReadLimit } from './container-options.ts'
import { Demultiplexer } from './demultiplexer.ts'
import { DockerHost } from './docker-host.ts'
import { type Engine, statusCode } from './engine/engine.ts'
import type { DockerImages } from './images.ts'
import type { InitVolume } from './init-volume.ts'
import { LABELS } from './labels.ts'
import type { Remover } from './remover.ts'

/** Options of a {@link ContainerStarter}. */
export interface ContainerStarterOptions {
  readonly engine: Engine
  readonly images: DockerImages
  readonly remover: Remover
  readonly initVolume: InitVolume
  readonly users: Users
  readonly observe: (event: SandboxEvent) => void
  /** Default runtime. */
  readonly runtime: string
  /** Runtimes that a kind may name. */
  readonly runtimes: readonly string[]
  /** What isolates containers of a runtime. */
  readonly isolation: (runtime: string) => ContainerIsolation
  /** The seccomp profile `default`, as JSON. */
  readonly seccomp: string
  /** Further profiles by name. @default none */
  readonly profiles?: ReadonlyMap<string, LanguageProfile> | undefined
  readonly diskReads?: DiskReadLimit | undefined
  readonly appArmor?: string | undefined
  /** Labels that every container carries: deployment, owner. */
  readonly labels: Readonly<Record<string, string>>
}

interface CreateRequest {
  readonly name: string
  /** Content digest. */
  readonly image: string
  readonly user: User
  readonly runtime: string
}

/** Starts containers on a Docker engine: create, attach, start, wait for init. */
export class ContainerStarter {
  readonly #options: ContainerStarterOptions

  constructor(options: ContainerStarterOptions) {
    this.#options = options
  }

  /**
   * Starts one container: attaches before the start, so that no byte of init is missed. On failure, removes the container.
   *
   * @throws a platform fault, or the signal's reason once aborted
   */
  async start(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<InitContainer> {
    signal.throwIfAborted()
    const { engine, remover, images, users, observe } = this.#options
    const runtime = this.#runtimeOf(kind)
    const { name, origin, job, attempt, deadline } = purpose
    const forks = kind.preload?.forks === true
    const imageDigest = await images.digest(kind.image)
    const user = users.take()
    let created: ContainerSubject | undefined
    let container: InitContainer | undefined
    // By name, because a lost answer to `create` leaves the id unknown.
    const remove = (ending?: Promise<void>) => {
      const afterwards = () => {
        users.release(user)
        if (created) observe({ type: 'container_removed', ...created })
      }
      void remover.remove(name, afterwards, ending)
    }
    const assign = (to: JobStart) => {
      if (created === undefined) return
      created = { container: created.container, job: to.id, attempt: to.attempt }
      observe({ type: 'container_assigned', ...created })
    }
    try {
      const id = await this.#create(kind, purpose, { name, image: imageDigest, user, runtime })
      created = { container: id, job, attempt }
      observe({ type: 'container_created', ...created })
      const stream = await engine.call('attach', (docker, abortSignal) =>
        attach(docker.getContainer(id), abortSignal),
      )
      const isolation = this.#options.isolation(runtime)
      const facts = { id, imageDigest, runtime, isolation, user, origin, deadline }
      const host = new DockerHost({ engine, id, runtime, forks, assign, remove })
      const wire = new Wire(stream, (frames, stderr) => new Demultiplexer(frames, stderr))
      container = new InitContainer({ facts, wire, host, forks })
      // Checked here because the start is the most expensive step.
      signal.throwIfAborted()
      await engine.call('start', (docker, abortSignal) => docker.getContainer(id).start({ abortSignal }))
      await container.untilReady()
      signal.throwIfAborted()
      return container
    } catch (error) {
      if (container) container.destroy()
      else remove()
      if (statusCode(error) === 404) images.forget(kind.image)
      // The engine replaces a missing volume by an empty one, so the next start checks it again.
      if (!signal.aborted) this.#options.initVolume.forget()
      throw error
    }
  }

  #runtimeOf(kind: ContainerKind): string {
    const { runtime, runtimes } = this.#options
    const wanted = kind.runtime ?? runtime
    if (runtimes.includes(wanted)) return wanted
    throw new ImageFaultError(`runtime ${wanted} is not on this engine; it has ${runtimes.join(', ')}`)
  }

  #profileOf({ profile }: ContainerKind): string {
    const { seccomp, profiles } = this.#options
    if (profile === DEFAULT_PROFILE) return seccomp
    const found = profiles?.get(profile)
    if (found === undefined) throw new TerminalError(`there is no seccomp profile ${profile}`)
    return found.json
  }

  async #create(kind: ContainerKind, purpose: ContainerPurpose, made: CreateRequest): Promise<string> {
    const { engine, remover, diskReads, appArmor, labels } = this.#options
    const { name, ...rest } = made
    const options = containerOptions({
      ...rest,
      limits: kind.limits,
      opens: kind.opens,
      forks: kind.preload?.forks,
      seccomp: this.#profileOf(kind),
      diskReads,
      appArmor,
      initVolume: await this.#options.initVolume.name(made.image, made.runtime),
      labels: {
        ...labels,
        ...(purpose.job !== '' && {
          [LABELS.job]: purpose.job,
          [LABELS.attempt]: String(purpose.attempt),
        }),
        [LABELS.lifetime]: String(purpose.deadline - Date.now()),
      },
    })
    const create = () =>
      engine.call('create', (docker, abortSignal) =>
        docker.createContainer({ ...options, name, abortSignal }),
      )
    try {
      return (await create()).id
    } catch (error) {
      // The image was removed after its digest was read.
      if (statusCode(error) === 404) throw new ImageMissingError(kind.image, { cause: error })
      if (statusCode(error) !== 409) throw error
      // Left by a `create` of the same attempt whose answer was lost, or by a container that this one replaces.
      await remover.remove(name)
      return (await create()).id
    }
  }
}

/** Opens the stream to init, and closes it again if it opened only after the deadline. */
async function attach(
  container: { attach(options: object): Promise<NodeJS.ReadWriteStream> },
  deadline: AbortSignal,
): Promise<Duplex> {
  const options = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true }
  const stream = (await container.attach(options)) as Duplex
  // Without a listener, a broken connection would end the worker before the wire listens.
  stream.on('error', () => {})
  if (deadline.aborted) stream.destroy()
  return stream
}
