import { randomUUID } from 'node:crypto'
import { setImmediate as afterwards } from 'node:timers/promises'
import type { EndableWorker } from './end-worker.ts'

/** How often it is looked whether a job more is wanted; BullMQ itself looks when one of its own ends. */
const LOOK_MS = 50
const EXTRA = ':extra:'

/** Whether a job was taken beyond the concurrency: whoever completes it takes no next one with it, as nobody would run that. */
export function isExtra(token: string): boolean {
  return token.includes(EXTRA)
}

/** What decides whether jobs beyond a worker's own concurrency are taken. */
export interface ExtraJobsOptions {
  /** Whether one more is wanted; asked before each. */
  readonly isWanted: () => boolean
  readonly onError: (error: unknown) => void
}

/**
 * Takes jobs beyond what BullMQ was told to run at once: when those that it runs only wait for something, others must not
 * wait behind them. BullMQ's own number can be raised, but it goes by it only when the next of its jobs ends.
 */
export class ExtraJobs {
  readonly #worker: EndableWorker
  readonly #options: ExtraJobsOptions
  readonly #running = new Set<Promise<unknown>>()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined
  #ended = false

  constructor(worker: EndableWorker, options: ExtraJobsOptions) {
    this.#worker = worker
    this.#options = options
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** Takes no more; resolves when those that were taken have ended. */
  async end(): Promise<void> {
    this.#ended = true
    clearInterval(this.#timer)
    if (this.#running.size > 0 || this.#looking !== undefined) {
      // BullMQ goes on renewing the locks only until it is closed; until then it takes nothing either.
      await this.#worker.pause(true)
    }
    await this.#looking
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #look(): void {
    this.#looking ??= this.#take()
      .catch(this.#options.onError)
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #take(): Promise<void> {
    while (!this.#ended && this.#options.isWanted()) {
      const token = `${this.#worker.id}${EXTRA}${randomUUID()}`
      const job = await this.#worker.getNextJob(token, { block: false })
      if (job === undefined) return
      const run = this.#worker
        .processJob(job, token, () => false)
        .catch(this.#options.onError)
        .finally(() => {
          this.#running.delete(run)
          this.#look()
        })
      this.#running.add(run)
      // It is counted once its processor has begun.
      await afterwards()
    }
  }
}
