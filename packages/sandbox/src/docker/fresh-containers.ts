import type { Duplex } from 'node:stream'
import type { Container, ContainerSource } from '../container.ts'
import { ImageFaultError } from '../image-fault.ts'
import type { Execution } from '../sandbox.ts'
import { containerOptions } from './container-options.ts'
import type { Disposer } from './disposer.ts'
import { DockerContainer } from './docker-container.ts'
import { type Engine, statusCode } from './engine.ts'
import type { Images } from './images.ts'
import type { InitVolume } from './init-volume.ts'
import { containerName, LABELS } from './labels.ts'
import type { ContainerOf, SandboxEvent } from './sandbox-events.ts'
import type { User, Users } from './users.ts'

/** Time that an execution may take beyond the limits of its runs, in milliseconds, before the reaper may take its container. */
const DEADLINE_MARGIN_MS = 120_000

/** All that containers are made with beside the execution itself. */
export interface FreshContainersOptions {
  readonly engine: Engine
  readonly images: Images
  readonly disposer: Disposer
  readonly initVolume: InitVolume
  readonly users: Users
  readonly observe: (event: SandboxEvent) => void
  /** Runtime of an execution that names none. */
  readonly runtime: string
  /** All that the engine has. */
  readonly runtimes: readonly string[]
  /** Seccomp profile as JSON. */
  readonly seccomp: string
  /** Labels that every container carries: deployment, owner. */
  readonly labels: Readonly<Record<string, string>>
}

/** What distinguishes one container from the next. */
interface Made {
  readonly name: string
  /** Content digest. */
  readonly image: string
  readonly user: User
  readonly runtime: string
}

/** Makes a container for each execution on the spot. */
export class FreshContainers implements ContainerSource {
  readonly #options: FreshContainersOptions

  constructor(options: FreshContainersOptions) {
    this.#options = options
  }

  /** Create, attach, start, wait for init: in this order, so that no byte of init is missed. */
  async acquire(execution: Execution, signal: AbortSignal): Promise<Container> {
    signal.throwIfAborted()
    const { engine, disposer, images, users, observe } = this.#options
    const runtime = this.#runtimeOf(execution)
    const name = containerName(execution)
    const imageDigest = await images.digest(execution.language.image)
    const user = users.take()
    let created: ContainerOf | undefined
    let container: DockerContainer | undefined
    // By name, not id: the answer to `create` may be what was lost.
    const dispose = () =>
      void disposer.dispose(name, () => {
        users.giveBack(user)
        if (created) observe({ type: 'container_removed', ...created })
      })
    try {
      const id = await this.#create(execution, { name, image: imageDigest, user, runtime })
      created = { container: id, job: execution.id, attempt: execution.attempt }
      observe({ type: 'container_created', ...created })
      const stream = await engine.call('attach', (docker, deadline) =>
        attach(docker.getContainer(id), deadline),
      )
      const facts = { id, imageDigest, runtime, user }
      const made = new DockerContainer(facts, { engine, stream, dispose })
      container = made
      await engine.call('start', (docker, abortSignal) => docker.getContainer(id).start({ abortSignal }))
      await engine.call('ready', () => made.untilReady())
      signal.throwIfAborted()
      return made
    } catch (error) {
      container?.destroy()
      dispose()
      if (statusCode(error) === 404) images.forget(execution.language.image)
      // The engine makes a volume that it does not find anew, and empty: what was believed of it is looked at again.
      if (!signal.aborted) this.#options.initVolume.forget()
      throw error
    }
  }

  #runtimeOf(execution: Execution): string {
    const { runtime, runtimes } = this.#options
    const wanted = execution.runtime ?? runtime
    if (runtimes.includes(wanted)) return wanted
    throw new ImageFaultError(`runtime ${wanted} is not on this engine; it has ${runtimes.join(', ')}`)
  }

  async #create(execution: Execution, { name, image, user, runtime }: Made): Promise<string> {
    const { engine, disposer, seccomp, labels } = this.#options
    const options = containerOptions({
      limits: execution.limits,
      image,
      user,
      runtime,
      seccomp,
      initVolume: await this.#options.initVolume.name(image, runtime),
      labels: {
        ...labels,
        [LABELS.job]: execution.id,
        [LABELS.attempt]: String(execution.attempt),
        [LABELS.deadline]: String(Date.now() + longestMs(execution)),
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

function longestMs({ language, limits }: Execution): number {
  const compile = language.compile ? language.compile_timeout_seconds : 0
  return (limits.timeoutSeconds + compile) * 1000 + DEADLINE_MARGIN_MS
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
