import { isDeepStrictEqual } from 'node:util'
import type { InitFrame, Ready, Reset } from '@isopod/init'
import type { ContainerIsolation, ContainerOrigin } from '../../contract/outcome.ts'
import type { Container, ContainerEnd, HostLimits, HostMemory, JobStart } from '../../driver/container.ts'
import type { ChangeableLimits } from '../../driver/container-kind.ts'

/** A container that executions of one batch use one after the other. */
export class SharedContainer implements Container {
  readonly id: string
  readonly imageDigest: string
  readonly runtime: string
  readonly isolation: ContainerIsolation
  readonly preloaded: boolean
  readonly user: Container['user']
  readonly deadline: number
  /** Equal for executions that may use it: those of one batch with the same kind of container. */
  readonly key: string
  readonly #inner: Container
  /** Its confinement before the first program, which it must have again after every reset. */
  readonly #baseline: { readonly ready: Ready; readonly hostLimits: HostLimits | undefined }
  #executions = 0
  #tainted = false
  /** Whether init resets it after the current run. */
  #isResetAhead = false
  /** A `receive` that began while no execution used the container. */
  #pendingFrame: Promise<InitFrame | undefined> | undefined
  #onActivity: (() => void) | undefined

  constructor(inner: Container, key: string) {
    this.id = inner.id
    this.imageDigest = inner.imageDigest
    this.runtime = inner.runtime
    this.isolation = inner.isolation
    this.preloaded = inner.preloaded
    this.user = inner.user
    this.deadline = inner.deadline
    this.key = key
    this.#inner = inner
    this.#baseline = { ready: inner.ready, hostLimits: inner.hostLimits }
  }

  get ready(): Ready {
    return this.#inner.ready
  }

  get hostLimits(): HostLimits | undefined {
    return this.#inner.hostLimits
  }

  /** Its own origin for the first execution, `batch` for all others. */
  get origin(): ContainerOrigin {
    return this.#executions > 1 ? 'batch' : this.#inner.origin
  }

  /** Number of executions that used it. */
  get executions(): number {
    return this.#executions
  }

  /** Whether something happened in it that a reset cannot undo: an out-of-memory kill or a fault of init. */
  get tainted(): boolean {
    return this.#tainted
  }

  /** Assigns it to the next execution. */
  begin(execution: JobStart): this {
    this.#onActivity = undefined
    if (this.#executions++ > 0) this.assign(execution)
    return this
  }

  assign(to: JobStart): void {
    this.#inner.assign(to)
  }

  /** Calls `onActivity` if the container ends or sends a frame while no execution uses it. */
  watch(onActivity: () => void): void {
    this.#onActivity = onActivity
    this.#pendingFrame ??= this.#inner.receive()
    void this.#pendingFrame.then(() => this.#onActivity?.())
  }

  /**
   * Has init reset it, and compares its confinement with the baseline.
   *
   * @returns whether the next execution may use it; rejects on any other answer of init
   */
  async matchesBaseline(): Promise<boolean> {
    // The last execution left a frame unread.
    if (this.#pendingFrame !== undefined) return false
    const { clean } = await this.reset()
    return (
      clean &&
      isDeepStrictEqual(this.ready, this.#baseline.ready) &&
      isDeepStrictEqual(this.hostLimits, this.#baseline.hostLimits)
    )
  }

  async hostMemory(): Promise<HostMemory | undefined> {
    const memory = await this.#inner.hostMemory()
    if ((memory?.oomKills ?? 0) > 0) this.#tainted = true
    return memory
  }

  changeLimits(limits: ChangeableLimits): Promise<void> {
    return this.#inner.changeLimits(limits)
  }

  readConfinement(): Promise<Ready> {
    return this.#inner.readConfinement()
  }

  resetAfterRun(): boolean {
    this.#isResetAhead = true
    return true
  }

  reset(): Promise<Reset> {
    const isUnderWay = this.#isResetAhead
    this.#isResetAhead = false
    return this.#inner.reset({ isUnderWay })
  }

  send(frames: Uint8Array): void {
    this.#inner.send(frames)
  }

  async receive(): Promise<InitFrame | undefined> {
    const pending = this.#pendingFrame
    this.#pendingFrame = undefined
    const frame = await (pending ?? this.#inner.receive())
    const killed = frame?.type === 'done' && (frame.done.oomKills ?? 0) > 0
    if (killed || frame?.type === 'fault') this.#tainted = true
    return frame
  }

  end(): Promise<ContainerEnd> {
    return this.#inner.end()
  }

  confirmRunning(): Promise<void> {
    return this.#inner.confirmRunning()
  }

  destroy(): void {
    this.#inner.destroy()
  }
}
