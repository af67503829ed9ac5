import type { Duplex } from 'node:stream'
import { encodeInspect, encodeReset, type InitFrame, type Ready, type Reset } from '@isopod/init'
import { isGvisor, RetryableError } from '@isopod/protocol'
import type { ContainerEnd, JobStart, OutsideLimits, OutsideMemory } from '../container.ts'
import type { ChangeableLimits, ContainerLimits } from '../container-kind.ts'
import type { WaitingContainer } from '../pool/waiting-container.ts'
import { type PreloadPlan, preloadFrames } from '../preload-plan.ts'
import type { ContainerFacts, ContainerOrigin } from '../sandbox.ts'
import { changeableOptions } from './container-options.ts'
import type { Engine } from './engine.ts'
import { lookFromOutside, type Outside } from './outside-limits.ts'
import type { User } from './users.ts'
import { Wire } from './wire.ts'

/** Exit code of init after the end of its input; no program can close that (packages/init/README.md). */
const INIT_LOST_ITS_HOST = 3
/** Exit code of a container whose first process, or whose gVisor, got SIGKILL. */
const KILLED = 137
/** What init exits with when the wire is broken, for a container that broke it towards us. */
const BROKEN_WIRE = 4

/** How long after the end of a container its engine may still tell why. */
const LATE_SECONDS = 8

/** What a container is made with beside what is told of it. */
export interface Connection {
  readonly engine: Engine
  /** The attach stream. */
  readonly stream: Duplex
  /** Removes it once `ending`, how it ends by itself, has resolved. */
  readonly dispose: (ending?: Promise<void>) => void
  /** Told for which start of which job it is from now on. */
  readonly assign?: (to: JobStart) => void
  /** An interpreter is kept in it, to fork. @default false */
  readonly forks?: boolean
}

/** In one write, so that both are answered after one way there and back. */
const RESET_AND_INSPECT = Buffer.concat([encodeReset(), encodeInspect()])

/** One container on a Docker engine, seen through its attach stream. */
export class DockerContainer implements WaitingContainer {
  readonly id: string
  readonly imageDigest: string
  readonly runtime: string
  readonly origin: ContainerOrigin
  readonly deadline: number
  readonly user: User
  readonly #engine: Engine
  readonly #wire: Wire
  readonly #dispose: Connection['dispose']
  readonly #assign: Connection['assign']
  readonly #forks: boolean
  #preloaded = false
  #ready: Ready | undefined
  #outside: Outside | undefined
  #destroyed = false

  constructor(
    facts: Omit<ContainerFacts, 'preloaded'> & { readonly user: User; readonly deadline: number },
    connection: Connection,
  ) {
    this.id = facts.id
    this.imageDigest = facts.imageDigest
    this.runtime = facts.runtime
    this.origin = facts.origin
    this.deadline = facts.deadline
    this.user = facts.user
    this.#engine = connection.engine
    this.#wire = new Wire(connection.stream)
    this.#dispose = connection.dispose
    this.#assign = connection.assign
    this.#forks = connection.forks ?? false
  }

  get ready(): Ready {
    if (this.#ready === undefined) throw new Error('container used before it was ready')
    return this.#ready
  }

  get preloaded(): boolean {
    return this.#preloaded
  }

  get waits(): boolean {
    return this.#wire.waits
  }

  assign(to: JobStart): void {
    this.#assign?.(to)
  }

  async change(limits: ChangeableLimits): Promise<void> {
    const options = changeableOptions(limits, this.runtime, this.#forks)
    await this.#engine.call('update', (docker, abortSignal) =>
      docker.getContainer(this.id).update({ ...options, abortSignal }),
    )
    await this.look()
  }

  get outside(): OutsideLimits | undefined {
    return this.#outside?.limits
  }

  async outsideMemory(): Promise<OutsideMemory | undefined> {
    return await this.#outside?.memory()
  }

  /** Waits for init's first frame. @throws {RetryableError} if the container ended or spoke otherwise */
  async untilReady(): Promise<void> {
    if (isGvisor(this.runtime)) this.#outside = await lookFromOutside(this.#engine, this.id)
    const frame = await this.receive()
    if (frame?.type !== 'ready') {
      throw new RetryableError(
        `init did not start: ${this.#wire.stderr || `got ${frame?.type ?? 'nothing'}`}`,
      )
    }
    this.#ready = this.#lessOwn(frame.ready)
  }

  /**
   * Has init start what the plan says. Where that fails, the container is as it was, and `preloaded` stays false.
   *
   * @throws {RetryableError} if the container ended or spoke otherwise
   */
  async preload(plan: PreloadPlan, limits: ContainerLimits): Promise<void> {
    await this.#engine.call('preload', async () => {
      this.send(preloadFrames(plan, limits))
      let frame = await this.receive()
      if (frame?.type === 'fault' && frame.fault.where === 'put') frame = await this.receive()
      if (frame?.type !== 'preloaded') {
        throw new RetryableError(`init did not answer a preload, got ${frame?.type ?? 'nothing'}`)
      }
      this.#preloaded = frame.preloaded.error === null
    })
  }

  async look(): Promise<Ready> {
    return await this.#engine.call('look', async () => {
      this.send(encodeInspect())
      if (isGvisor(this.runtime)) this.#outside = await lookFromOutside(this.#engine, this.id)
      return await this.#readReady()
    })
  }

  async reset(): Promise<Reset> {
    this.send(RESET_AND_INSPECT)
    const frame = await this.receive()
    if (frame?.type !== 'reset')
      throw new RetryableError(`init did not answer a reset, got ${frame?.type ?? 'nothing'}`)
    if (isGvisor(this.runtime)) this.#outside = await lookFromOutside(this.#engine, this.id)
    await this.#readReady()
    return frame.reset
  }

  async #readReady(): Promise<Ready> {
    const frame = await this.receive()
    if (frame?.type !== 'ready')
      throw new RetryableError(`init did not answer a look, got ${frame?.type ?? 'nothing'}`)
    this.#ready = this.#lessOwn(frame.ready)
    return this.#ready
  }

  /** What an interpreter that forks takes of the limit is none of the program's. */
  #lessOwn(ready: Ready): Ready {
    const less = (tasks: number | null) => (tasks === null || !this.#forks ? tasks : tasks - 1)
    return { ...ready, pidsMax: less(ready.pidsMax), processLimit: less(ready.processLimit) }
  }

  send(frames: Uint8Array): void {
    this.#wire.send(frames)
  }

  receive(): Promise<InitFrame | undefined> {
    return this.#wire.receive()
  }

  async end(): Promise<ContainerEnd> {
    // It still runs, or has ended for want of its host: neither says anything, and no init of ours breaks its wire.
    if (this.#wire.isBroken) return { exitCode: BROKEN_WIRE, outOfMemory: false }
    // At once: the group goes with the container, and the engine does not always hear of a kill before the end.
    const memory = await this.outsideMemory()
    // Its connection may be gone before it is: without its end there is nothing to judge, and that is no program's doing.
    await this.#engine.call('exit', (docker, abortSignal) =>
      docker.getContainer(this.id).wait({ abortSignal }),
    )
    const { State: state } = await this.#engine.call('inspect', (docker, abortSignal) =>
      docker.getContainer(this.id).inspect({ abortSignal }),
    )
    // A program can end its container but never remove it: this was somebody else.
    if (state.Status === 'removing' || state.Dead) {
      throw new RetryableError('the container was removed while its program ran')
    }
    if (state.ExitCode === INIT_LOST_ITS_HOST)
      throw new RetryableError('the connection to the container was lost')
    const known = state.OOMKilled || (memory?.oomKills ?? 0) > 0
    const outOfMemory = known || (isGvisor(this.runtime) && (await this.#wasOutOfMemory(state)))
    // No program can do that to gVisor but by its memory, and of that there is no sign: somebody of the host did, or the sign
    // came too late. Either way another run tells more than this one.
    if (isGvisor(this.runtime) && state.ExitCode === KILLED && !outOfMemory) {
      throw new RetryableError('gVisor was killed, and nothing says for what')
    }
    return { exitCode: state.ExitCode, outOfMemory }
  }

  /** Whether the engine told of a kill for memory: with gVisor, by its own clock, often only after the end. */
  async #wasOutOfMemory(state: { StartedAt: string; FinishedAt: string }): Promise<boolean> {
    const second = (time: string) => Math.floor(Date.parse(time) / 1000)
    const filters = { container: [this.id], event: ['oom'] }
    const window = { since: second(state.StartedAt), until: second(state.FinishedAt) + LATE_SECONDS }
    return await this.#engine.call('events', async (docker, abortSignal) => {
      const told = await docker.getEvents({ ...window, filters, abortSignal })
      for await (const _ of told) return true
      return false
    })
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    // Not a byte is sent where nothing ran: it may be a container that is not confined as asked.
    const asked = this.waits && !this.#wire.isFresh
    if (asked) this.#wire.end()
    else this.#wire.cut()
    // Whoever is asked and does not obey is removed by force.
    this.#dispose(asked ? this.#wire.quit() : undefined)
  }
}
