import { encodeInspect, encodeReset, type InitFrame, type Ready, type Reset } from '@isopod/init'
import { RetryableError } from '@isopod/protocol'
import type { ContainerFacts, ContainerIsolation, ContainerOrigin } from '../contract/outcome.ts'
import type { ContainerEnd, HostLimits, HostMemory, JobStart, NewContainer } from './container.ts'
import type { ChangeableLimits, ContainerLimits } from './container-kind.ts'
import { type PreloadPlan, preloadFrames } from './preload.ts'
import type { User } from './users.ts'
import type { Wire } from './wire.ts'

/** What the host of a container knows about it and its init does not. */
export interface HostView {
  readonly limits: HostLimits
  /** Counters as they are now; undefined on a remote host. */
  memory(): Promise<HostMemory | undefined>
}

/** What only a driver can do for one of its containers. */
export interface ContainerHost {
  /** Changes the limits of the running container. */
  changeLimits(limits: ChangeableLimits): Promise<void>
  /** Reads what init cannot see; undefined for a runtime that hides nothing. */
  view(): Promise<HostView | undefined>
  /**
   * Waits for the container's end. Rejects with a `RetryableError` if it did not use up its memory: no program can kill its init.
   *
   * @param memory the last counters that the host saw
   */
  end(memory: HostMemory | undefined): Promise<'memory'>
  /** See {@link Container.confirmRunning}. */
  confirmRunning(): Promise<void>
  assign(to: JobStart): void
  /** Kills and removes the container once `ending`, in which it ends by itself, has resolved. */
  remove(ending?: Promise<void>): void
  /** Runs an exchange with init under the driver's deadline for it. */
  timed<T>(operation: 'ready' | 'look' | 'preload', act: () => Promise<T>): Promise<T>
}

/** Options of {@link InitContainer}. */
export interface InitContainerParts {
  readonly facts: Omit<ContainerFacts, 'preloaded'> & { readonly user: User; readonly deadline: number }
  readonly wire: Wire
  readonly host: ContainerHost
  /** An interpreter stays in it, to fork. */
  readonly forks: boolean
}

/** In one write, so that one round trip answers both. */
const RESET_AND_INSPECT = Buffer.concat([encodeReset(), encodeInspect()])

/** One container, driven by the frames of its init; what a driver does for it comes in as a {@link ContainerHost}. */
export class InitContainer implements NewContainer {
  readonly id: string
  readonly imageDigest: string
  readonly runtime: string
  readonly isolation: ContainerIsolation
  readonly origin: ContainerOrigin
  readonly deadline: number
  readonly user: User
  readonly #wire: Wire
  readonly #host: ContainerHost
  readonly #forks: boolean
  #preloaded = false
  #ready: Ready | undefined
  #view: HostView | undefined
  #destroyed = false

  constructor({ facts, wire, host, forks }: InitContainerParts) {
    this.id = facts.id
    this.imageDigest = facts.imageDigest
    this.runtime = facts.runtime
    this.isolation = facts.isolation
    this.origin = facts.origin
    this.deadline = facts.deadline
    this.user = facts.user
    this.#wire = wire
    this.#host = host
    this.#forks = forks
  }

  get ready(): Ready {
    if (this.#ready === undefined) throw new Error('container used before it was ready')
    return this.#ready
  }

  get preloaded(): boolean {
    return this.#preloaded
  }

  get isIdle(): boolean {
    return this.#wire.isIdle
  }

  get hostLimits(): HostLimits | undefined {
    return this.#view?.limits
  }

  async hostMemory(): Promise<HostMemory | undefined> {
    return await this.#view?.memory()
  }

  assign(to: JobStart): void {
    this.#host.assign(to)
  }

  /** Waits for init's first frame. @throws {RetryableError} if the container ended or sent anything else */
  async untilReady(): Promise<void> {
    await this.#host.timed('ready', async () => {
      this.#view = await this.#host.view()
      const frame = await this.receive()
      if (frame?.type !== 'ready') {
        const got = this.#wire.stderr || `got ${frame?.type ?? 'nothing'}`
        throw new RetryableError(`init did not start: ${got}`)
      }
      this.#ready = this.#withoutInterpreter(frame.ready)
    })
  }

  async preload(plan: PreloadPlan, limits: ContainerLimits): Promise<void> {
    await this.#host.timed('preload', async () => {
      this.send(preloadFrames(plan, limits))
      let frame = await this.receive()
      if (frame?.type === 'fault' && frame.fault.where === 'put') frame = await this.receive()
      if (frame?.type !== 'preloaded') throw unanswered('a preload', frame)
      this.#preloaded = frame.preloaded.error === null
    })
  }

  async changeLimits(limits: ChangeableLimits): Promise<void> {
    await this.#host.changeLimits(limits)
    await this.readConfinement()
  }

  async readConfinement(): Promise<Ready> {
    return await this.#host.timed('look', async () => {
      this.send(encodeInspect())
      return await this.#readAgain()
    })
  }

  resetAfterRun(): boolean {
    return false
  }

  async reset({ isUnderWay = false } = {}): Promise<Reset> {
    if (!isUnderWay) this.send(RESET_AND_INSPECT)
    const frame = await this.receive()
    if (frame?.type !== 'reset') throw unanswered('a reset', frame)
    await this.#readAgain()
    return frame.reset
  }

  send(frames: Uint8Array): void {
    this.#wire.send(frames)
  }

  receive(): Promise<InitFrame | undefined> {
    return this.#wire.receive()
  }

  async end(): Promise<ContainerEnd> {
    if (this.#wire.isBroken) return 'wire'
    // At once: the cgroup goes with the container, and an engine may hear of the kill after the end.
    return await this.#host.end(await this.hostMemory())
  }

  confirmRunning(): Promise<void> {
    return this.#host.confirmRunning()
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    // An init that ran nothing is sent nothing: its container may not be confined as requested.
    const quits = this.isIdle && !this.#wire.isFresh
    if (quits) this.#wire.stopReading()
    else this.#wire.cut()
    // An init that does not quit in time is removed by force.
    this.#host.remove(quits ? this.#wire.quit() : undefined)
  }

  async #readAgain(): Promise<Ready> {
    this.#view = await this.#host.view()
    const frame = await this.receive()
    if (frame?.type !== 'ready') throw unanswered('an inspection', frame)
    this.#ready = this.#withoutInterpreter(frame.ready)
    return this.#ready
  }

  /** An interpreter that forks counts in the limit of processes, but is not the program's. */
  #withoutInterpreter(ready: Ready): Ready {
    const less = (tasks: number | null) => (tasks === null || !this.#forks ? tasks : tasks - 1)
    return { ...ready, pidsMax: less(ready.pidsMax), processLimit: less(ready.processLimit) }
  }
}

function unanswered(what: string, frame: InitFrame | undefined): RetryableError {
  return new RetryableError(`init did not answer ${what}, got ${frame?.type ?? 'nothing'}`)
}
