import { ConfigError, type LanguageSummary } from '@isopod/protocol'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import pTimeout from 'p-timeout'
import { ResultCache } from './cache/result-cache.ts'
import { guardedObserver, type Observe } from './consumer-events.ts'
import { toError } from './errors.ts'
import { createJobWorker } from './jobs/job-worker.ts'
import { Processor } from './jobs/processor.ts'
import { Publisher } from './jobs/publisher.ts'
import { type QueueStats, readStats } from './jobs/queue-stats.ts'
import { RunningJobs } from './jobs/running-jobs.ts'
import { sweepFailedJobs } from './jobs/sweep-failed.ts'
import type { JobWorkerOptions } from './jobs/worker-options.ts'
import { connectRedis, settledWithin, unavailable, waitingDuplicate } from './redis/connect-redis.ts'
import { interval } from './redis/interval.ts'
import { Keys } from './redis/keys.ts'
import { watchQuarantine } from './redis/quarantine.ts'
import { JOBS_QUEUE, type QueueOptions, resolveOptions } from './redis/queue-options.ts'
import type { QueueWorker } from './redis/queue-worker.ts'
import { sweepResults } from './results/sweep-results.ts'
import { type AuditEntry, AuditStream } from './workers/audit-stream.ts'
import { writeCatalogue } from './workers/catalogue.ts'
import { readDeployment } from './workers/deployment.ts'
import { LEASE_RENEWAL_MS, Leases } from './workers/leases.ts'

const SWEEP_INTERVAL_MS = 30_000
/** How long aborted handlers may take to stop, in milliseconds. */
const STOP_DEADLINE_MS = 10_000
/** Timeout of one call to Redis. */
const ANSWER_TIMEOUT = { milliseconds: 5000, message: 'no answer within 5 s' }

/** Options of a worker's connection to the queue. */
export interface ConsumerOptions extends QueueOptions {
  /** Unique among all workers. */
  readonly workerId: string
  /** Approximate maximum length of the audit stream. @default no audit stream */
  readonly auditStreamLength?: number | undefined
  readonly observe?: Observe
}

/** The worker's side of the queue. */
export interface Consumer {
  /** Random id of this queue in this Redis, the same for all of its workers. */
  readonly deployment: string
  /** Whether Redis is connected. */
  readonly connected: boolean
  /**
   * Starts to take jobs. A second call has no effect.
   *
   * @throws {ConfigError} if `concurrency` is not a whole number from 1
   */
  run(options: JobWorkerOptions): void
  /** Stops taking jobs; running jobs continue. */
  pause(): Promise<void>
  /** Takes jobs again. */
  resume(): void
  /**
   * Stops taking jobs, waits up to `graceMs` for running jobs, then aborts them with `JobInterrupted('shutdown')` and requeues
   * them in front. Resolves when no job runs, at the latest 10 s after the grace period.
   */
  drain(graceMs: number): Promise<void>
  /** Drains without a grace period and disconnects. A second call gets the same promise. */
  close(): Promise<void>
  stats(): Promise<QueueStats>
  /** Publishes the languages that workers offer, for producers. */
  registerCatalogue(languages: readonly LanguageSummary[]): Promise<void>
  /** Appends to the audit stream, if there is one; never waits and never throws. */
  audit(entry: AuditEntry): void
  readonly lease: {
    /** Which of these workers are alive. */
    alive(workerIds: readonly string[]): Promise<Set<string>>
  }
  /** Results for equal jobs. */
  readonly cache: ResultCache
  /** Takes or keeps a role that only one worker can have, for `ttlMs`; false if another worker has it. */
  claim(role: string, ttlMs: number): Promise<boolean>
}

/**
 * Connects a worker to the queue. It takes no job before `run()`.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer, is too old, or may evict keys
 * @throws {ConfigError} naming the option
 */
export async function openConsumer(options: ConsumerOptions): Promise<Consumer> {
  const resolved = resolveOptions(options)
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(options.workerId)) {
    throw new ConfigError(
      `workerId: must be 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-", got ${JSON.stringify(options.workerId)}`,
    )
  }
  const { redis, shownUrl } = await connectRedis(resolved, 'wait')
  const consumer = new RedisConsumer(options, resolved.resultTtlSeconds, redis, shownUrl)
  try {
    await pTimeout(consumer.start(), ANSWER_TIMEOUT)
  } catch (error) {
    redis.disconnect()
    throw unavailable(shownUrl, error)
  }
  return consumer
}

class RedisConsumer implements Consumer {
  readonly lease: Consumer['lease']
  readonly cache: ResultCache
  readonly #redis: Redis
  readonly #subscriber: Redis
  readonly #shownUrl: string
  readonly #keys: Keys
  readonly #observe: Observe
  readonly #running: RunningJobs
  readonly #report = (thrown: unknown): void => this.#observe({ type: 'error', error: toError(thrown) })
  readonly #leases: Leases
  readonly #jobs: Queue
  readonly #publisher: Publisher
  readonly #audit: AuditStream | undefined
  readonly #workerId: string
  readonly #resultTtlSeconds: number
  readonly #abandoned = new AbortController()
  readonly #ended = new AbortController()
  deployment = ''
  #worker: QueueWorker | undefined
  #state: 'ready' | 'taking' | 'paused' | 'draining' = 'ready'
  #draining: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(options: ConsumerOptions, resultTtlSeconds: number, redis: Redis, shownUrl: string) {
    this.#redis = redis
    this.#subscriber = waitingDuplicate(redis)
    this.#shownUrl = shownUrl
    const keys = new Keys(resolveOptions(options).prefix)
    this.#keys = keys
    const observe = guardedObserver(options.observe)
    this.#observe = observe
    this.#workerId = options.workerId
    this.#leases = new Leases(redis, keys, options.workerId)
    this.lease = { alive: (workerIds) => this.#ask(this.#leases.alive(workerIds)) }
    this.cache = new ResultCache(redis, keys)
    this.#running = new RunningJobs(redis, keys)
    this.#resultTtlSeconds = resultTtlSeconds
    this.#jobs = new Queue(JOBS_QUEUE, { connection: redis, prefix: keys.tag })
    this.#jobs.on('error', (error) => observe({ type: 'error', error }))
    this.#publisher = new Publisher(redis, keys, resultTtlSeconds)
    const length = options.auditStreamLength
    this.#audit = length === undefined ? undefined : new AuditStream(redis, keys, length, observe)
    redis.on('ready', () => observe({ type: 'redisUp' }))
    redis.on('close', () => {
      if (!this.#ended.signal.aborted) observe({ type: 'redisDown' })
    })
  }

  async start(): Promise<void> {
    const [deployment] = await Promise.all([
      readDeployment(this.#redis, this.#keys),
      this.#jobs.waitUntilReady(),
      this.#running.listen(this.#subscriber),
      this.#leases.renew(),
    ])
    this.deployment = deployment
    const checkQuarantine = await watchQuarantine(this.#redis, this.#keys, (counts) =>
      this.#observe({ type: 'quarantined', counts }),
    )
    const renew = () => Promise.all([this.#leases.renew(), this.#running.checkFlags(), checkQuarantine()])
    void interval(LEASE_RENEWAL_MS, renew, this.#ended.signal, this.#report)
  }

  get connected(): boolean {
    return this.#redis.status === 'ready'
  }

  run(options: JobWorkerOptions): void {
    const { concurrency, handle, giveUp } = options
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new ConfigError(`concurrency: must be a whole number from 1, got ${concurrency}`)
    }
    if (this.#state !== 'ready') return
    this.#state = 'taking'
    const parts = {
      redis: this.#redis,
      keys: this.#keys,
      jobs: this.#jobs,
      publisher: this.#publisher,
      running: this.#running,
      observe: this.#observe,
      workerId: this.#workerId,
    }
    const isStopping = () => this.#state === 'paused' || this.#state === 'draining'
    const abandoned = this.#abandoned.signal
    const processor = new Processor({ ...parts, handle, giveUp, isStopping, abandoned })
    this.#worker = createJobWorker({ ...options, ...parts, processor })
    this.#worker.run().catch(this.#report)
    this.#leases.offer(concurrency).catch(this.#report)
    const sweep = async () => {
      await sweepFailedJobs({ ...parts, giveUp })
      if (await this.#leases.claim('sweep', 2 * SWEEP_INTERVAL_MS)) {
        await sweepResults(this.#redis, this.#keys, this.#resultTtlSeconds)
      }
    }
    sweep().catch(this.#report)
    void interval(SWEEP_INTERVAL_MS, sweep, this.#ended.signal, this.#report)
  }

  async pause(): Promise<void> {
    if (this.#state !== 'taking') return
    this.#state = 'paused'
    this.#worker?.pause()
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'taking'
    this.#worker?.resume()
  }

  drain(graceMs: number): Promise<void> {
    this.#draining ??= this.#drain(graceMs)
    return this.#draining
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  stats(): Promise<QueueStats> {
    return this.#ask(readStats(this.#redis, this.#keys))
  }

  registerCatalogue(languages: readonly LanguageSummary[]): Promise<void> {
    return this.#ask(writeCatalogue(this.#redis, this.#keys, languages))
  }

  audit = (entry: AuditEntry): void => this.#audit?.append(entry)

  claim(role: string, ttlMs: number): Promise<boolean> {
    return this.#ask(this.#leases.claim(role, ttlMs))
  }

  async #drain(graceMs: number): Promise<void> {
    this.#state = 'draining'
    if (this.#worker === undefined) return
    const idle = this.#worker.close().catch(this.#report)
    await settledWithin(idle, graceMs)
    this.#running.interruptAll('shutdown')
    if (await settledWithin(idle, STOP_DEADLINE_MS / 2)) return
    // Redis takes no results. The locks expire, and other workers run the jobs again.
    this.#abandoned.abort()
    await settledWithin(idle, STOP_DEADLINE_MS / 2)
  }

  async #close(): Promise<void> {
    await this.drain(0)
    this.#ended.abort()
    this.#abandoned.abort()
    if (this.#audit) await settledWithin(this.#audit.idle(), 1000)
    await settledWithin(this.#leases.release().catch(this.#report), 1000)
    await this.#jobs.close().catch(() => {})
    this.#subscriber.disconnect()
    this.#redis.disconnect()
  }

  /** Bounds a call to Redis, which would otherwise wait until the end of an outage. */
  #ask<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => {})
    return pTimeout(answer, ANSWER_TIMEOUT).catch((error) => {
      throw unavailable(this.#shownUrl, error)
    })
  }
}
