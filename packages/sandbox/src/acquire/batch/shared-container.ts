import { isDeepStrictEqual } from 'node:util'
import type { InitFrame, Ready, Reset } from '@isopod/init'
import type { ContainerOrigin } from '../../contract/outcome.ts'
import type { Container, ContainerEnd, HostLimits, HostMemory, JobStart } from '../../driver/container.ts'
import type { ChangeableLimits } from '../../driver/container-kind.ts'

/** A container that executions of one batch use one after the other, never two at once. */
export class SharedContainer implements Container {
  readonly id: string
  readonly imageDigest: string
  readonly runtime: string
  readonly preloaded: boolean
  readonly user: Container['user']
  readonly deadline: number
  /** Who may use it: the batch, and all that a container of another kind would differ in. */
  readonly key: string
  readonly #inner: Container
  /** Its confinement before the first program: what every later one must find. */
  readonly #baseline: { readonly ready: Ready; readonly hostLimits: HostLimits | undefined }
  #executions = 0
  #tainted = false
  /** A frame that was waited for while nobody used it. */
  #ahead: Promise<InitFrame | undefined> | undefined
  #onStir: (() => void) | undefined

  constructor(inner: Container, key: string) {
    this.id = inner.id
    this.imageDigest = inner.imageDigest
    this.runtime = inner.runtime
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

  /** Where it is from for its first execution, and `batch` for all others. */
  get origin(): ContainerOrigin {
    return this.#executions > 1 ? 'batch' : this.#inner.origin
  }

  /** Executions that it was given to. */
  get executions(): number {
    return this.#executions
  }

  /** Whether something happened in it that a reset does not undo: a kill for memory, a fault of init. */
  get tainted(): boolean {
    return this.#tainted
  }

  /** Gives it to the next execution. */
  begin(execution: JobStart): this {
    this.#onStir = undefined
    if (this.#executions++ > 0) this.assign(execution)
    return this
  }

  assign(to: JobStart): void {
    this.#inner.assign(to)
  }

  /** While nobody uses it: calls back if it ends, or speaks without having been asked. */
  watch(onStir: () => void): void {
    this.#onStir = onStir
    this.#ahead ??= this.#inner.receive()
    void this.#ahead.then(() => this.#onStir?.())
  }

  /**
   * Has init empty it, and compares what is then there with what was there before the first program.
   *
   * @returns whether the next execution may have it; rejects if init did not answer as it should
   */
  async matchesBaseline(): Promise<boolean> {
    // Whoever used it has not read what it said.
    if (this.#ahead !== undefined) return false
    const { clean } = await this.#inner.reset()
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

  change(limits: ChangeableLimits): Promise<void> {
    return this.#inner.change(limits)
  }

  readConfinement(): Promise<Ready> {
    return this.#inner.readConfinement()
  }

  reset(): Promise<Reset> {
    return this.#inner.reset()
  }

  send(frames: Uint8Array): void {
    this.#inner.send(frames)
  }

  async receive(): Promise<InitFrame | undefined> {
    const ahead = this.#ahead
    this.#ahead = undefined
    const frame = await (ahead ?? this.#inner.receive())
    const killed = frame?.type === 'done' && (frame.done.oomKills ?? 0) > 0
    if (killed || frame?.type === 'fault') this.#tainted = true
    return frame
  }

  end(): Promise<ContainerEnd> {
    return this.#inner.end()
  }

  destroy(): void {
    this.#inner.destroy()
  }
}
