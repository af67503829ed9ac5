import { type Result, TerminalError, UnavailableError } from '@isopod/protocol'
import { QueueEvents } from 'bullmq'
import type { Redis } from 'ioredis'
import { patientDuplicate } from './connect-redis.ts'
import { settledWithin } from './end-worker.ts'
import { UnknownJobError } from './errors.ts'
import type { Keys } from './keys.ts'
import { JOBS_QUEUE } from './options.ts'
import { readResult } from './read-result.ts'

/** When a waiter first looks by itself, should an event have been lost, in milliseconds; later looks are further apart. */
const FIRST_POLL_MS = 2000
const LONGEST_POLL_MS = 15_000
/** How long one read of the event stream waits, in milliseconds; a closed one may end only then. */
const READ_MS = 2000

/**
 * Callers that wait for single results. One event stream serves all of them. A waiter listens first and looks then, so a
 * result that comes between the two is not missed.
 */
export class ResultWaiters {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #looks = new Map<string, Set<() => void>>()
  #opening: Promise<void> | undefined
  #events: QueueEvents | undefined
  #connection: Redis | undefined
  readonly #closing = new AbortController()

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis
    this.#keys = keys
  }

  /**
   * Resolves with the job's result as soon as it is there, however long that takes and whatever happens to Redis meanwhile.
   *
   * @throws {UnknownJobError} if there is neither a job nor a result
   * @throws the signal's reason when it aborts
   */
  async wait(id: string, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    this.#opening ??= this.#open()
    await this.#opening
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    let looking = false
    let again = false
    const look = async () => {
      // One look at a time; what is announced during one asks for one more.
      again = looking
      if (looking) return
      looking = true
      try {
        const result = await this.#look(id)
        if (result !== undefined) resolve(result)
      } catch (error) {
        if (error instanceof UnknownJobError || error instanceof TerminalError) reject(error)
        // Anything else is Redis being away; the next event or poll looks again.
      } finally {
        looking = false
      }
      if (again) look()
    }
    const stop = () => reject(signal?.reason)
    const close = () => reject(this.#closing.signal.reason)
    const stopPolling = poll(look)
    this.#enter(id, look)
    signal?.addEventListener('abort', stop, { once: true })
    this.#closing.signal.addEventListener('abort', close, { once: true })
    try {
      signal?.throwIfAborted()
      this.#closing.signal.throwIfAborted()
      look()
      return await promise
    } finally {
      stopPolling()
      this.#leave(id, look)
      signal?.removeEventListener('abort', stop)
      this.#closing.signal.removeEventListener('abort', close)
    }
  }

  /** Ends the event stream; those who still wait are refused. */
  async close(): Promise<void> {
    this.#closing.abort(new UnavailableError('the connection was closed before the result came'))
    await this.#opening
    const events = this.#events
    if (events !== undefined && !(await settledWithin(events.close(), 1000))) {
      // While Redis is away its connection would go on looking for it, and keep the process alive.
      await settledWithin(events.getBackend().close(true), 1000)
    }
    this.#connection?.disconnect()
  }

  async #open(): Promise<void> {
    // From a known place in the stream, not from «now»: now would be whenever the first read reaches Redis.
    const stream = this.#keys.jobs('events')
    const last = await this.#redis.xrevrange(stream, '+', '-', 'COUNT', 1).catch(() => undefined)
    this.#connection = patientDuplicate(this.#redis)
    const events = new QueueEvents(JOBS_QUEUE, {
      connection: this.#connection,
      prefix: this.#keys.tag,
      blockingTimeout: READ_MS,
      lastEventId: last === undefined ? '$' : (last[0]?.[0] ?? '0-0'),
    })
    this.#events = events
    events.on('error', () => {})
    const announce = ({ jobId }: { jobId: string }) => {
      for (const look of this.#looks.get(jobId) ?? []) look()
    }
    events.on('completed', announce)
    events.on('failed', announce)
    events.on('removed', announce)
  }

  async #look(id: string): Promise<Result | undefined> {
    const result = await readResult(this.#redis, this.#keys, id)
    if (result !== undefined) return result
    // In this order: a job goes only after its result has come.
    if ((await this.#redis.exists(this.#keys.job(id))) === 1) return undefined
    const late = await readResult(this.#redis, this.#keys, id)
    if (late !== undefined) return late
    throw new UnknownJobError(
      `id: there is no job ${JSON.stringify(id)}; it was never enqueued, or its result has expired`,
    )
  }

  #enter(id: string, look: () => void): void {
    const looks = this.#looks.get(id) ?? new Set()
    looks.add(look)
    this.#looks.set(id, looks)
  }

  #leave(id: string, look: () => void): void {
    const looks = this.#looks.get(id)
    looks?.delete(look)
    if (looks?.size === 0) this.#looks.delete(id)
  }
}

/** Repeats a task at growing distances. Returns what ends it. */
function poll(task: () => void): () => void {
  let timer: NodeJS.Timeout
  const plan = (ms: number) => {
    timer = setTimeout(() => {
      task()
      plan(Math.min(ms * 1.5, LONGEST_POLL_MS))
    }, ms)
  }
  plan(FIRST_POLL_MS)
  return () => clearTimeout(timer)
}
