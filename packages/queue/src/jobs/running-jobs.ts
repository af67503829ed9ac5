import type { Redis } from 'ioredis'
import { type InterruptionCause, JobInterrupted } from '../errors.ts'
import type { Keys } from '../redis/keys.ts'

interface Running {
  readonly id: string
  readonly controller: AbortController
}

/**
 * The jobs that this process runs, and their interruption. A request to cancel is a flag, which lasts, and a message, which is
 * quick; checking the flags makes up for lost messages.
 */
export class RunningJobs {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #running = new Set<Running>()
  /** Jobs whose cancellation arrived before they were entered, since the last check of the flags. */
  readonly #early = new Set<string>()

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis
    this.#keys = keys
  }

  /** Number of running jobs. */
  get size(): number {
    return this.#running.size
  }

  /** Enters a job; from now on it can be interrupted. Call `done` when it has ended. */
  enter(id: string): { signal: AbortSignal; done: () => void } {
    const entry = { id, controller: new AbortController() }
    this.#running.add(entry)
    if (this.#early.delete(id)) entry.controller.abort(new JobInterrupted('cancelled'))
    return { signal: entry.controller.signal, done: () => this.#running.delete(entry) }
  }

  /** Aborts these jobs; the first cause stays. @returns whether any of them runs */
  interrupt(ids: Iterable<string>, cause: InterruptionCause): boolean {
    const wanted = new Set(ids)
    let found = false
    for (const { id, controller } of this.#running) {
      if (!wanted.has(id)) continue
      controller.abort(new JobInterrupted(cause))
      found = true
    }
    return found
  }

  /** Aborts all running jobs. */
  interruptAll(cause: InterruptionCause): void {
    for (const { controller } of this.#running) controller.abort(new JobInterrupted(cause))
  }

  /** Listens for requests to cancel on a separate connection; resolves when none can be missed. */
  async listen(subscriber: Redis): Promise<void> {
    subscriber.on('message', (_channel: string, id: string) => {
      // The job may have been taken without having been read.
      if (!this.interrupt([id], 'cancelled')) this.#early.add(id)
    })
    await subscriber.subscribe(this.#keys.cancelChannel)
  }

  /** Checks the flags of all running jobs, for requests whose message was lost. */
  async checkFlags(): Promise<void> {
    this.#early.clear()
    const ids = [...this.#running].map(({ id }) => id)
    if (ids.length === 0) return
    const flags = await this.#redis.mget(ids.map((id) => this.#keys.cancelFlag(id)))
    this.interrupt(
      ids.filter((_, index) => flags[index] != null),
      'cancelled',
    )
  }
}
