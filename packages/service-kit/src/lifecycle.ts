import type { Logger } from '@isopod/telemetry'
import { shutDown } from './shutdown.ts'

/** A part of a process that is started and stopped with it. */
export interface Component {
  readonly name: string
  readonly start?: () => Promise<unknown> | unknown
  /** Called only after `start` has resolved, if there is one. The component may have failed by then. */
  readonly stop?: () => Promise<unknown> | unknown
}

/** Options of a {@link Lifecycle}. */
export interface LifecycleOptions {
  /** Timeout for stopping all components, in milliseconds. */
  readonly stopMs: number
  readonly logger: Logger
}

/**
 * Starts components in their order and stops them in reverse. Both are idempotent: a second caller gets the same promise.
 *
 * @example
 * ```ts
 * const life = new Lifecycle([{ name: 'http', start: () => http.listen(), stop: () => http.close() }], { stopMs: 10_000, logger })
 * await life.start()
 * onStopSignal((signal) => life.stop(signal))
 * ```
 */
export class Lifecycle {
  readonly #components: readonly Component[]
  readonly #options: LifecycleOptions
  readonly #started = new Set<Component>()
  /** The start of one component. */
  #pending: Promise<unknown> | undefined
  #starting: Promise<void> | undefined
  #stopping: Promise<boolean> | undefined

  constructor(components: readonly Component[], options: LifecycleOptions) {
    this.#components = components
    this.#options = options
  }

  /** Starts every component. If one fails, those before it are stopped, and the promise rejects with its error. */
  start(): Promise<void> {
    this.#starting ??= this.#start()
    return this.#starting
  }

  /**
   * Stops every component that has started.
   *
   * @param why for the log
   * @returns whether all stopped without an error and in time
   */
  stop(why: string): Promise<boolean> {
    this.#stopping ??= this.#stop(why)
    return this.#stopping
  }

  async #start(): Promise<void> {
    try {
      for (const component of this.#components) {
        if (this.#stopping !== undefined) return
        this.#pending = (async () => component.start?.())()
        await this.#pending
        this.#started.add(component)
      }
    } catch (error) {
      await this.stop('a component failed to start')
      throw error
    }
  }

  async #stop(why: string): Promise<boolean> {
    const { stopMs, logger } = this.#options
    logger.info({ why }, 'stopping')
    const steps = this.#components.toReversed().map((component) => ({
      name: component.name,
      run: async () => {
        // Without a start, it was there before.
        if (component.start === undefined || this.#started.has(component)) await component.stop?.()
      },
    }))
    // A component that is still starting has to be stopped too.
    const wait = { name: 'start', run: async () => this.#pending?.catch(() => {}) }
    const clean = await shutDown([wait, ...steps], stopMs, logger)
    logger.info({ clean }, 'stopped')
    return clean
  }
}
