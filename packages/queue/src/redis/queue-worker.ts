import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '@isopod/protocol'
import { type Job as BullJob, Worker, type WorkerOptions } from 'bullmq'
import type { Redis } from 'ioredis'
import { healing, isRefusal } from './quarantine.ts'
import type { RedisClock } from './redis-clock.ts'
import { settledWithin } from './settled-within.ts'

/** How often {@link QueueWorkerOptions.wanted} is called, in milliseconds. */
const FOLLOW_MS = 50
/** First and maximum pause after a refused command, in milliseconds. */
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2000
/** How often the clock of the host is checked, in milliseconds. */
const CLOCK_MS = 1000
/** How often a closing worker checks its jobs, in milliseconds. */
const POLL_MS = 20
/** How long a closing worker waits for a reply of Redis, in milliseconds. */
const SETTLE_MS = 1000

/** Options of a {@link QueueWorker}. */
export interface QueueWorkerOptions extends Omit<WorkerOptions, 'connection' | 'autorun'> {
  /** Shared with BullMQ; the caller disconnects it after `close`. */
  readonly connection: Redis
  readonly concurrency: number
  readonly clock: RedisClock
  readonly prefix: string
  /** Returns the current maximum number of taken jobs. @default `concurrency` */
  readonly wanted?: (() => number) | undefined
  readonly onError: (error: Error) => void
}

/**
 * A BullMQ worker with a concurrency that can change. It repairs a poisoned queue, pauses while Redis refuses its commands or the
 * clock of the host is wrong, and closes even if Redis is unavailable.
 */
export class QueueWorker {
  readonly worker: Worker
  readonly #redis: Redis
  readonly #clock: RedisClock
  readonly #onError: (error: Error) => void
  readonly #wanted: () => number
  readonly #clockCheck: NodeJS.Timeout
  readonly #following: NodeJS.Timeout | undefined
  #running = 0
  #refusals = 0
  #pause: NodeJS.Timeout | undefined
  #isPaused = false
  #hasWrongClock = false
  #closing: Promise<void> | undefined

  /** @param process BullMQ's processor; it has two parameters, as BullMQ makes a signal for each job if there is a third */
  constructor(
    name: string,
    process: (job: BullJob, token: string) => Promise<void>,
    { clock, wanted, onError, ...options }: QueueWorkerOptions,
  ) {
    this.#redis = options.connection
    this.#clock = clock
    this.#onError = onError
    this.#wanted = wanted ?? (() => options.concurrency)
    const run = async (job: BullJob, token = '') => {
      this.#running += 1
      this.#refusals = 0
      try {
        await process(job, token)
      } finally {
        this.#running -= 1
        this.#follow()
      }
    }
    // The processor gives up jobs whose workers died; BullMQ would fail them without a result.
    const maxStalledCount = Number.MAX_SAFE_INTEGER
    this.worker = new Worker(name, run, { runRetryDelay: 1000, ...options, maxStalledCount, autorun: false })
    const heal = healing(this.#redis, `${options.prefix}:${name}:`)
    this.worker.on('error', (error) => {
      if (isRefusal(error)) this.#backOff()
      onError(error)
      heal(error)
    })
    this.#clockCheck = setInterval(() => this.#checkClock(), CLOCK_MS).unref()
    if (wanted !== undefined) this.#following = setInterval(() => this.#follow(), FOLLOW_MS).unref()
  }

  /** Takes jobs until it is closed. */
  run(): Promise<void> {
    this.#checkClock()
    return this.worker.run()
  }

  /** Takes no more jobs; running jobs continue. */
  pause(): void {
    this.#isPaused = true
    void this.worker.pause(true)
  }

  /** Takes jobs again. */
  resume(): void {
    this.#isPaused = false
    this.#takeAgain()
  }

  /** Takes no more jobs, and resolves when none runs. A second call gets the same promise. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    clearInterval(this.#following)
    clearInterval(this.#clockCheck)
    clearTimeout(this.#pause)
    void this.worker.pause(true)
    const isUp = await settledWithin(this.#redis.ping(), SETTLE_MS)
    // BullMQ's close waits for jobs and for Redis, or, if it is forced, for neither.
    while (!isUp && this.#running > 0) await sleep(POLL_MS)
    const closed = this.worker.close(!isUp)
    while (!(await settledWithin(closed, SETTLE_MS))) {
      // Redis went away meanwhile. The caller disconnects, which ends what BullMQ waits for.
      if (this.#redis.status !== 'ready' && this.#running === 0) return
    }
  }

  /** Pauses after a refused command: BullMQ would repeat it at once. */
  #backOff(): void {
    if (this.#pause !== undefined || this.#closing !== undefined) return
    const ms = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#refusals)
    this.#refusals += 1
    void this.worker.pause(true)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#takeAgain()
    }, ms)
  }

  /** Takes no jobs while the clock of the host is wrong: BullMQ would judge the pauses of all jobs by it. */
  #checkClock(): void {
    const { problem } = this.#clock
    if ((problem !== undefined) === this.#hasWrongClock) return
    this.#hasWrongClock = problem !== undefined
    if (problem === undefined) {
      this.#takeAgain()
      return
    }
    void this.worker.pause(true)
    this.#onError(new UnavailableError(`${problem}; nothing is taken from the queue until it is right`))
  }

  #takeAgain(): void {
    if (this.#isPaused || this.#hasWrongClock || this.#pause !== undefined) return
    void this.worker.resume()
  }

  #follow(): void {
    const { worker } = this
    const before = worker.concurrency
    worker.concurrency = this.#wanted()
    if (worker.concurrency <= before || this.#running < before) return
    if (worker.isPaused() || this.#closing !== undefined) return
    // A worker that is full reads its concurrency when a job ends; one that is resumed reads it now.
    void worker.pause(true)
    void worker.resume()
  }
}
