const INTERVAL_MS = 2_000

/** What happens when the engine goes and comes back. */
export interface EngineWatchOptions {
  readonly ping: () => Promise<void>
  /** Called once per change; the first call says how it is at the start. */
  readonly onChange: (up: boolean) => void
}

/** Asks the engine every two seconds whether it is there, so that a worker without one takes no jobs. */
export class EngineWatch {
  readonly #options: EngineWatchOptions
  #up: boolean | undefined
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined

  constructor(options: EngineWatchOptions) {
    this.#options = options
  }

  /** Whether the engine answered last. */
  get up(): boolean {
    return this.#up ?? false
  }

  /** Starts asking. Resolves with the first answer. */
  async start(): Promise<void> {
    this.#timer ??= setInterval(() => void this.check(), INTERVAL_MS)
    await this.check()
  }

  /** Asks now; for when a job has just failed on the engine. */
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
    if (up === this.#up) return
    this.#up = up
    this.#options.onChange(up)
  }
}
