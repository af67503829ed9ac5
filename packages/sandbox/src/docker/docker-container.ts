import type { Duplex } from 'node:stream'
import { encodeLook, FrameDecoder, type InitFrame, type Ready } from '@isopod/init'
import { isGvisor, RetryableError } from '@isopod/protocol'
import type { Container, ContainerEnd, OutsideLimits, OutsideMemory } from '../container.ts'
import type { ContainerLimits } from '../container-kind.ts'
import { type PreloadPlan, preloadFrames } from '../preload-plan.ts'
import type { ContainerFacts, ContainerOrigin } from '../sandbox.ts'
import { Demultiplexer } from './demultiplexer.ts'
import type { Engine } from './engine.ts'
import { FrameQueue } from './frame-queue.ts'
import { lookFromOutside, type Outside } from './outside-limits.ts'
import type { User } from './users.ts'

/** Unread frames at which the connection is paused; init then holds the program back in turn. */
const PAUSE_AT_FRAMES = 256
/**
 * Bytes for the container that nobody has taken, at which no more of its frames are read. Init takes what is sent to it
 * whatever else it does; one that only talks could otherwise fill this process with the answers.
 */
const MOST_UNTAKEN_BYTES = 256 * 1024
/** Of what the engine or a broken init says on stderr, only enough for a message is kept. */
const STDERR_BYTES = 1024

/** Exit code of init after the end of its input; no program can close that (packages/init/README.md). */
const INIT_LOST_ITS_HOST = 3
/** Exit code of a container whose first process, or whose gVisor, got SIGKILL. */
const KILLED = 137
/** What init exits with when the wire is broken, for a container that broke it towards us. */
const BROKEN_WIRE = 4

/** How long after the end of a container its engine may still tell why. */
const LATE_SECONDS = 8

/** One container on a Docker engine, seen through its attach stream. */
export class DockerContainer implements Container {
  readonly id: string
  readonly imageDigest: string
  readonly runtime: string
  readonly origin: ContainerOrigin
  #preloaded: boolean
  readonly #tasks: number
  readonly user: User
  readonly #engine: Engine
  readonly #stream: Duplex
  readonly #frames = new FrameQueue<InitFrame>()
  readonly #decoder = new FrameDecoder()
  readonly #dispose: () => void
  #ready: Ready | undefined
  #outside: Outside | undefined
  #stderr = ''

  constructor(
    facts: ContainerFacts & { readonly user: User },
    connection: { engine: Engine; stream: Duplex; dispose: () => void; tasks?: number },
  ) {
    this.id = facts.id
    this.imageDigest = facts.imageDigest
    this.runtime = facts.runtime
    this.origin = facts.origin
    this.#preloaded = facts.preloaded
    this.user = facts.user
    this.#engine = connection.engine
    this.#stream = connection.stream
    this.#dispose = connection.dispose
    this.#tasks = connection.tasks ?? 0
    this.#listen()
  }

  get ready(): Ready {
    if (this.#ready === undefined) throw new Error('container used before it was ready')
    return this.#ready
  }

  get preloaded(): boolean {
    return this.#preloaded
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
        `init did not start: ${this.#stderr.trim() || `got ${frame?.type ?? 'nothing'}`}`,
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
      this.send(encodeLook())
      if (isGvisor(this.runtime)) this.#outside = await lookFromOutside(this.#engine, this.id)
      const frame = await this.receive()
      if (frame?.type !== 'ready')
        throw new RetryableError(`init did not answer a look, got ${frame?.type ?? 'nothing'}`)
      this.#ready = this.#lessOwn(frame.ready)
      return this.#ready
    })
  }

  /** What an interpreter that forks takes of the limit is none of the program's. */
  #lessOwn(ready: Ready): Ready {
    const less = (tasks: number | null) => (tasks === null ? null : tasks - this.#tasks)
    return { ...ready, pidsMax: less(ready.pidsMax), processLimit: less(ready.processLimit) }
  }

  send(frames: Uint8Array): void {
    if (this.#stream.writable) this.#stream.write(frames)
  }

  async receive(): Promise<InitFrame | undefined> {
    if (this.#stream.writableLength > MOST_UNTAKEN_BYTES) await this.#taken()
    const frame = await this.#frames.shift()
    if (this.#stream.isPaused() && this.#frames.length < PAUSE_AT_FRAMES / 2) this.#stream.resume()
    return frame
  }

  async end(): Promise<ContainerEnd> {
    // It still runs, or has ended for want of its host: neither says anything, and no init of ours breaks its wire.
    if (this.#decoder.broken !== undefined) return { exitCode: BROKEN_WIRE, outOfMemory: false }
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
    this.#frames.end()
    this.#stream.destroy()
    this.#dispose()
  }

  /** Waits until all that was sent is taken, or nobody is left to take it. */
  async #taken(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#stream.destroyed || !this.#stream.writableNeedDrain) return resolve()
      const over = () => {
        this.#stream.off('drain', over).off('close', over)
        resolve()
      }
      this.#stream.on('drain', over).on('close', over)
    })
  }

  #listen(): void {
    const demultiplexer = new Demultiplexer(
      (bytes) => this.#decode(bytes),
      (bytes) => {
        if (this.#stderr.length < STDERR_BYTES)
          this.#stderr += Buffer.from(bytes).toString('latin1', 0, STDERR_BYTES)
      },
    )
    this.#stream.on('data', (chunk: Buffer) => demultiplexer.push(chunk))
    this.#stream.on('end', () => this.#frames.end())
    this.#stream.on('close', () => this.#frames.end())
    // A reset connection ends the frames like a closed one; what it means is decided by asking the engine.
    this.#stream.on('error', () => this.#frames.end())
  }

  #decode(bytes: Uint8Array): void {
    try {
      for (const frame of this.#decoder.push(bytes)) this.#frames.push(frame)
      if (this.#decoder.broken !== undefined) throw this.#decoder.broken
    } catch {
      // A wire that breaks is a container that ended: nothing after this byte can be believed.
      this.#frames.end()
      this.#stream.destroy()
      return
    }
    if (this.#frames.length >= PAUSE_AT_FRAMES) this.#stream.pause()
  }
}
