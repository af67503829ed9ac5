import type { Redis } from 'ioredis'
import { type InterruptionCause, JobInterrupted } from '../errors.ts'
import type { Keys } from '../redis/keys.ts'
import { PROGRESS } from './stored-job.ts'

interface Running {
  readonly id: string
  readonly controller: AbortController
}

/**
 * The jobs that this process runs, and their interruption. A request to cancel is stored in the job and published as a message.
 * The message acts at once but can be lost; then `checkRequests` finds the stored request.
 */
export class RunningJobs {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #running = new Set<Running>()
  /** Jobs whose cancellation arrived before they were entered, since the last check for requests. */
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

  /** Listens for requests to cancel on a separate connection; resolves once it is subscribed. */
  async listen(subscriber: Redis): Promise<void> {
    subscriber.on('message', (_channel: string, id: string) => {
      // This worker may have taken the job and not entered it yet.
      if (!this.interrupt([id], 'cancelled')) this.#early.add(id)
    })
    await subscriber.subscribe(this.#keys.cancelChannel)
  }

  /** Checks all running jobs for requests to cancel whose message was lost. */
  async checkRequests(): Promise<void> {
    this.#early.clear()
    const ids = [...this.#running].map(({ id }) => id)
    if (ids.length === 0) return
    const replies = await this.#redis
      .pipeline(ids.map((id) => ['hget', this.#keys.job(id), 'progress']))
      .exec()
    const isCancelled = (_: string, index: number) =>
      replies?.[index]?.[1] === JSON.stringify(PROGRESS.cancelled)
    this.interrupt(ids.filter(isCancelled), 'cancelled')
  }
}
