import { randomUUID } from 'node:crypto'
import { availableParallelism, totalmem } from 'node:os'
import { duplexPair } from 'node:stream'
import { RetryableError } from '@isopod/protocol'
import type { ContainerIsolation } from '../contract/outcome.ts'
import type { JobStart, NewContainer } from '../driver/container.ts'
import type { ContainerKind, ContainerPurpose } from '../driver/container-kind.ts'
import type { AliveOwners, Driver, DriverFacts, Images } from '../driver/driver.ts'
import { ImageFaultError, ImageMissingError } from '../driver/faults.ts'
import { InitContainer } from '../driver/init-container.ts'
import type { SandboxEvent } from '../driver/sandbox-events.ts'
import { Users } from '../driver/users.ts'
import { Wire } from '../driver/wire.ts'
import { SimulatedInit } from './simulated-init.ts'

/** Image digest in simulated results: proof that no container ran. */
export const SIMULATED_DIGEST = 'simulated'

const RUNTIME = 'runc'
const NO_ISOLATION: ContainerIsolation = { driver: 'simulated', namespaces: [], cgroup: 2 }
const USER_RANGE = { first: 60_000, last: 60_255, gid: 65_534 }

/** Options of {@link SimulatedDriver}. */
export interface SimulatedDriverOptions {
  /** Id of the worker; its containers are reaped when it is gone. */
  readonly owner: string
  /** Its only runtime. @default runc */
  readonly runtime?: string
  /** Minimum duration of each program, in milliseconds. @default 0 */
  readonly runMs?: number
  /** Whether an image exists. @default all do */
  readonly hasImage?: (reference: string) => boolean
  readonly observe?: (event: SandboxEvent) => void
}

/**
 * Makes containers that exist in this process only, for benchmarks and specs of the layers above a driver. It confines
 * nothing: a program is a few words of shell, see `runScript`.
 */
export class SimulatedDriver implements Driver {
  readonly facts: DriverFacts
  readonly images: Images
  readonly removing = 0
  readonly #options: SimulatedDriverOptions
  readonly #users = new Users(USER_RANGE)
  /** Container → the function that removes it. */
  readonly #containers = new Map<NewContainer, () => void>()

  constructor(options: SimulatedDriverOptions) {
    this.#options = options
    const { hasImage = () => true, runtime = RUNTIME } = options
    this.facts = factsWith(runtime)
    this.images = {
      digest: async (reference) => {
        if (hasImage(reference)) return SIMULATED_DIGEST
        throw new ImageMissingError(reference)
      },
    }
  }

  async ping(): Promise<void> {}

  async make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<NewContainer> {
    signal.throwIfAborted()
    const { defaultRuntime } = this.facts
    const runtime = kind.runtime ?? defaultRuntime
    if (runtime !== defaultRuntime) throw new ImageFaultError(`runtime ${runtime} is not simulated`)
    const imageDigest = await this.images.digest(kind.image)
    const { observe = () => {}, runMs = 0 } = this.#options
    const { origin, deadline, job, attempt } = purpose
    const forks = kind.preload?.forks === true
    const user = this.#users.take()
    const [stream, end] = duplexPair()
    const init = new SimulatedInit({
      stream: end,
      limits: kind.limits,
      user,
      ownProcesses: forks ? 2 : 1,
      runMs,
    })
    let subject = { container: randomUUID(), job, attempt }
    const remove = () => {
      init.end()
      if (!this.#containers.delete(container)) return
      this.#users.release(user)
      observe({ type: 'container_removed', ...subject })
    }
    const container = new InitContainer({
      facts: { id: subject.container, imageDigest, runtime, isolation: NO_ISOLATION, origin, user, deadline },
      wire: new Wire(stream),
      forks,
      host: {
        changeLimits: async (limits) => init.changeLimits(limits),
        view: async () => undefined,
        end: async () => {
          await init.untilEnded()
          throw new RetryableError('the simulated container was removed')
        },
        confirmRunning: async () => {},
        assign: (to: JobStart) => {
          subject = { ...subject, job: to.id, attempt: to.attempt }
          observe({ type: 'container_assigned', ...subject })
        },
        remove: (ending = Promise.resolve()) => void ending.then(remove),
        timed: (_operation, act) => act(),
      },
    })
    this.#containers.set(container, remove)
    observe({ type: 'container_created', ...subject })
    await container.untilReady()
    return container
  }

  async reap(alive: AliveOwners): Promise<number> {
    const { owner } = this.#options
    const isAlive = (await alive([owner])).has(owner)
    const left = [...this.#containers].filter(([{ deadline }]) => !isAlive || deadline < Date.now())
    for (const [, remove] of left) remove()
    return left.length
  }

  async close(): Promise<void> {
    for (const remove of [...this.#containers.values()]) remove()
  }
}

function factsWith(runtime: string): DriverFacts {
  return {
    version: '0',
    architecture: process.arch === 'arm64' ? 'arm64' : 'x64',
    cgroup: 2,
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    runtimes: [runtime],
    defaultRuntime: runtime,
    limitsSwap: true,
    users: USER_RANGE.last - USER_RANGE.first + 1,
    profiles: new Map([['default', { digest: SIMULATED_DIGEST, blocked: new Set<string>() }]]),
    ownProfile: true,
    warnings: [],
  }
}
