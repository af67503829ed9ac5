import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isGvisor, TerminalError } from '@isopod/protocol'
import type { JobStart } from '../container.ts'
import type { ContainerKind, ContainerLimits } from '../container-kind.ts'
import type { ContainerPurpose } from '../container-purpose.ts'
import { ImageFaultError } from '../image-fault.ts'
import type { PreloadPlan } from '../preload-plan.ts'
import { containerOptions, type DiskReadLimit } from './container-options.ts'
import type { Disposer } from './disposer.ts'
import { DockerContainer } from './docker-container.ts'
import { type Engine, statusCode } from './engine.ts'
import type { Images } from './images.ts'
import type { InitVolume } from './init-volume.ts'
import { LABELS } from './labels.ts'
import type { ContainerOf, SandboxEvent } from './sandbox-events.ts'
import type { LanguageProfile } from './seccomp/language-profiles.ts'
import { DEFAULT_PROFILE } from './seccomp/profile-file.ts'
import type { User, Users } from './users.ts'

/**
 * By which the kernel deals out a container's share of the processors, in milliseconds. Who comes right after what was
 * imported would find the share of this one used up.
 */
const QUOTA_PERIOD_MS = 100

/** All that containers are made with beside their kind. */
export interface ContainerMakerOptions {
  readonly engine: Engine
  readonly images: Images
  readonly disposer: Disposer
  readonly initVolume: InitVolume
  readonly users: Users
  readonly observe: (event: SandboxEvent) => void
  /** Runtime of a kind that names none. */
  readonly runtime: string
  /** All that the engine has. */
  readonly runtimes: readonly string[]
  /** Seccomp profile as JSON. */
  readonly seccomp: string
  /** By name, beside that one, which is `default`. @default there are none */
  readonly profiles?: ReadonlyMap<string, LanguageProfile> | undefined
  readonly diskReads?: DiskReadLimit | undefined
  readonly appArmor?: string | undefined
  /** Labels that every container carries: deployment, owner. */
  readonly labels: Readonly<Record<string, string>>
}

interface Made {
  readonly name: string
  /** Content digest. */
  readonly image: string
  readonly user: User
  readonly runtime: string
}

/** Makes containers: create, attach, start, wait for init. */
export class ContainerMaker {
  readonly #options: ContainerMakerOptions

  constructor(options: ContainerMakerOptions) {
    this.#options = options
  }

  /**
   * A started container whose init has spoken: in this order, so that no byte of init is missed. What was begun is disposed
   * of when it fails.
   *
   * @throws a platform fault, or the signal's reason once aborted
   */
  async make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<DockerContainer> {
    signal.throwIfAborted()
    const { engine, disposer, images, users, observe } = this.#options
    const runtime = this.#runtimeOf(kind)
    const { name, origin, job, attempt } = purpose
    const forks = kind.preload?.forks === true
    const imageDigest = await images.digest(kind.image)
    const user = users.take()
    let created: ContainerOf | undefined
    let container: DockerContainer | undefined
    // By name, not id: the answer to `create` may be what was lost.
    const dispose = (ending?: Promise<void>) => {
      const afterwards = () => {
        users.giveBack(user)
        if (created) observe({ type: 'container_removed', ...created })
      }
      void disposer.dispose(name, afterwards, ending)
    }
    try {
      const id = await this.#create(kind, purpose, { name, image: imageDigest, user, runtime })
      created = { container: id, job, attempt }
      observe({ type: 'container_created', ...created })
      const stream = await engine.call('attach', (docker, deadline) =>
        attach(docker.getContainer(id), deadline),
      )
      const { deadline } = purpose
      const facts = { id, imageDigest, runtime, user, origin, deadline }
      const assign = (to: JobStart) => {
        created = { container: id, job: to.id, attempt: to.attempt }
        observe({ type: 'container_assigned', ...created })
      }
      const made = new DockerContainer(facts, { engine, stream, dispose, assign, forks })
      container = made
      // Refused, cancelled or timed out meanwhile: the start is most of the cost.
      signal.throwIfAborted()
      await engine.call('start', (docker, abortSignal) => docker.getContainer(id).start({ abortSignal }))
      await engine.call('ready', () => made.untilReady())
      if (kind.preload === undefined) {
        signal.throwIfAborted()
        return made
      }
      await startAhead(made, kind.preload, kind.limits, signal)
      // A plain program could have one process more there than asked, or answer for what became of the interpreter.
      if (made.preloaded || !(forks || isGvisor(runtime))) return made
      made.destroy()
      return await this.make({ ...kind, preload: undefined }, { ...purpose, name: `${name}-plain` }, signal)
    } catch (error) {
      if (container) container.destroy()
      else dispose()
      if (statusCode(error) === 404) images.forget(kind.image)
      // The engine makes a volume that it does not find anew, and empty: what was believed of it is looked at again.
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

  async #create(kind: ContainerKind, purpose: ContainerPurpose, made: Made): Promise<string> {
    const { engine, disposer, diskReads, appArmor, labels } = this.#options
    const { name, ...rest } = made
    const options = containerOptions({
      ...rest,
      limits: kind.limits,
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
        [LABELS.deadline]: String(purpose.deadline),
      },
    })
    const create = () =>
      engine.call('create', (docker, abortSignal) =>
        docker.createContainer({ ...options, name, abortSignal }),
      )
    try {
      return (await create()).id
    } catch (error) {
      if (statusCode(error) !== 409) throw error
      // Left by a create of this same attempt whose answer was lost: nobody else may have this name.
      await disposer.dispose(name)
      return (await create()).id
    }
  }
}

/** Has the interpreter start, which may take long; nobody waits for it once the signal is aborted. */
async function startAhead(
  container: DockerContainer,
  plan: PreloadPlan,
  limits: ContainerLimits,
  signal: AbortSignal,
): Promise<void> {
  const giveUp = () => container.destroy()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    signal.throwIfAborted()
    await container.preload(plan, limits)
    if (container.origin === 'pool' && plan.modules.length > 0) await sleep(QUOTA_PERIOD_MS)
    signal.throwIfAborted()
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Opens the wire. One that opens after its deadline is closed again: nobody waits for it any more. */
async function attach(
  container: { attach(options: object): Promise<NodeJS.ReadWriteStream> },
  deadline: AbortSignal,
): Promise<Duplex> {
  const options = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true }
  const stream = (await container.attach(options)) as Duplex
  // Until somebody else listens: a connection that breaks must not end the worker.
  stream.on('error', () => {})
  if (deadline.aborted) stream.destroy()
  return stream
}
