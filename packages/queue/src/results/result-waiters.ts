import { type StoredResult, TerminalError, UnavailableError } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import { UnknownJobError } from '../errors.ts'
import { waitingDuplicate } from '../redis/connect-redis.ts'
import type { Keys } from '../redis/keys.ts'
import { wholeResult } from './large-outputs.ts'
import { parseResult, type ReadOptions, takeResult } from './read-result.ts'

/** First and maximum interval of polls, in milliseconds; messages can be lost. */
const FIRST_POLL_MS = 2000
const MAX_POLL_MS = 15_000

/** How a result is waited for. */
export interface WaitForResultOptions extends ReadOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/** A waiting call. */
interface Waiter {
  /** Takes the stored result; an empty text if it must be fetched. */
  receive(stored: string): void
  /** Checks whether there is a result. */
  check(): void
}

/** Waiting calls for the same job. */
interface Audience {
  readonly waiters: Set<Waiter>
  /** Settles when no further message can be missed, or when Redis refuses the subscription. */
  readonly listening: Promise<unknown>
}

/**
 * Callers that wait for single results. Each result has its own channel, so that no caller sees the jobs of others. A waiter
 * subscribes first and checks afterwards, so that no result is missed in between.
 */
export class ResultWaiters {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #expireJobs: () => Promise<void>
  readonly #audiences = new Map<string, Audience>()
  readonly #closing = new AbortController()
  #subscriber: Redis | undefined

  /** @param expireJobs cancels waiting jobs whose deadline has passed; a waiter may be all that lives */
  constructor(redis: Redis, keys: Keys, expireJobs: () => Promise<void>) {
    this.#redis = redis
    this.#keys = keys
    this.#expireJobs = expireJobs
  }

  /**
   * Resolves with the job's result as soon as it is published, also after outages of Redis.
   *
   * @throws {UnknownJobError} if there is neither a job nor a result
   * @throws the signal's reason when it aborts
   */
  async wait(id: string, { signal, shortened = false }: WaitForResultOptions = {}): Promise<StoredResult> {
    signal?.throwIfAborted()
    this.#closing.signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<StoredResult>()
    const settle = async (found: () => Promise<StoredResult | undefined>) => {
      try {
        const result = await found()
        if (result === undefined) return
        resolve(shortened ? result : await wholeResult((ask) => ask(this.#redis), this.#keys, result))
      } catch (error) {
        if (error instanceof UnknownJobError || error instanceof TerminalError) reject(error)
        // Otherwise Redis is unavailable; the next message or poll checks again.
      }
    }
    const check = oneAtATime(() => settle(() => this.#check(id)))
    const receive = (stored: string) => {
      if (stored === '') check()
      else void settle(async () => parseResult(JSON.parse(stored)))
    }
    const stop = () => reject(signal?.reason)
    const close = () => reject(this.#closing.signal.reason)
    const stopPolling = poll(() => this.#expireJobs().then(check, check))
    const waiter: Waiter = { receive, check }
    signal?.addEventListener('abort', stop, { once: true })
    this.#closing.signal.addEventListener('abort', close, { once: true })
    try {
      this.#enter(id, waiter)
      return await promise
    } finally {
      stopPolling()
      // The caller need not wait for it.
      setImmediate(() => this.#leave(id, waiter))
      signal?.removeEventListener('abort', stop)
      this.#closing.signal.removeEventListener('abort', close)
    }
  }

  /** Stops listening and rejects waiting calls. */
  close(): void {
    this.#closing.abort(new UnavailableError('the connection was closed before the result came'))
    this.#subscriber?.disconnect()
  }

  async #check(id: string): Promise<StoredResult | undefined> {
    // The job is looked for after its result: it is removed only after its result was stored.
    const [result, jobs] = await Promise.all([
      takeResult(this.#redis, this.#keys, id),
      this.#redis.exists(this.#keys.job(id)),
    ])
    if (result !== undefined || jobs === 1) return result
    const late = await takeResult(this.#redis, this.#keys, id)
    if (late !== undefined) return late
    throw unknownJob(id)
  }

  #enter(id: string, waiter: Waiter): void {
    let audience = this.#audiences.get(id)
    if (audience === undefined) {
      audience = { waiters: new Set(), listening: this.#listener().subscribe(this.#keys.doneChannel(id)) }
      this.#audiences.set(id, audience)
    }
    audience.waiters.add(waiter)
    audience.listening.then(waiter.check, waiter.check)
  }

  #leave(id: string, waiter: Waiter): void {
    const waiters = this.#audiences.get(id)?.waiters
    waiters?.delete(waiter)
    if (waiters?.size !== 0) return
    this.#audiences.delete(id)
    if (this.#closing.signal.aborted) return
    const unsubscribing = this.#listener().unsubscribe(this.#keys.doneChannel(id))
    unsubscribing.catch(() => {})
  }

  #listener(): Redis {
    if (this.#subscriber !== undefined) return this.#subscriber
    const subscriber = waitingDuplicate(this.#redis)
    const start = this.#keys.doneChannel('').length
    subscriber.on('message', (channel: string, stored: string) => {
      for (const waiter of this.#audiences.get(channel.slice(start))?.waiters ?? []) waiter.receive(stored)
    })
    // Messages during an outage are lost. ioredis subscribes again by itself, but does not report when.
    subscriber.on('ready', () => {
      for (const [id, { waiters }] of this.#audiences) {
        const checkAll = () => {
          for (const { check } of waiters) check()
        }
        subscriber.subscribe(this.#keys.doneChannel(id)).then(checkAll, checkAll)
      }
    })
    this.#subscriber = subscriber
    return subscriber
  }
}

/** Runs a task one at a time; a call during a run leads to one more run. */
function oneAtATime(task: () => Promise<void>): () => void {
  let running = false
  let again = false
  const run = async () => {
    again = running
    if (running) return
    running = true
    await task()
    running = false
    if (again) void run()
  }
  return () => void run()
}

/** Repeats a task at growing intervals. @returns stops it */
function poll(task: () => void): () => void {
  let timer: NodeJS.Timeout
  const plan = (ms: number) => {
    timer = setTimeout(() => {
      task()
      plan(Math.min(ms * 1.5, MAX_POLL_MS))
    }, ms)
  }
  plan(FIRST_POLL_MS)
  return () => clearTimeout(timer)
}

/** The error for an id without a job or a result. */
export function unknownJob(id: string): UnknownJobError {
  return new UnknownJobError(
    `id: there is no job ${JSON.stringify(id)}; it was never enqueued, or its result has expired`,
  )
}
