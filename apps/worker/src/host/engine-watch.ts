const INTERVAL_MS = 2_000

/** Dependencies of {@link EngineWatch}. */
export interface EngineWatchOptions {
  readonly ping: () => Promise<void>
  /** Called at the first answer and at each change. */
  readonly onChange: (up: boolean) => void
}

/** Pings the engine every two seconds, so that a worker without an engine takes no jobs. */
export class EngineWatch {
  readonly #options: EngineWatchOptions
  #up: boolean | undefined
  #lastFailureAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined

  constructor(options: EngineWatchOptions) {
    this.#options = options
  }

  /** Whether the engine answered the last ping. */
  get up(): boolean {
    return this.#up ?? false
  }

  /** Whether a ping failed since then. @param since by `performance.now()` */
  wasDown(since: number): boolean {
    return this.#lastFailureAt >= since
  }

  /** Starts. Resolves after the first ping. */
  async start(): Promise<void> {
    this.#timer ??= setInterval(() => void this.check(), INTERVAL_MS)
    await this.check()
  }

  /** Pings now, because a job has just failed on the engine. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #check(): Promise<void> {
    const up = await this.#options.ping().then(
      () => true,
      () => false,
    )
    if (!up) this.#lastFailureAt = performance.now()
    if (up === this.#up) return
    this.#up = up
    this.#options.onChange(up)
  }
}
