import { ConfigError, type LanguageSummary } from '@isopod/protocol'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { type AuditEntry, AuditStream } from './audit-stream.ts'
import { writeCatalogue } from './catalogue.ts'
import { connectRedis, patientDuplicate, unavailable, within } from './connect-redis.ts'
import { guardedObserver, type Observe } from './consumer-events.ts'
import { readDeployment } from './deployment.ts'
import { type EndableWorker, endWorker, settledWithin } from './end-worker.ts'
import { toError } from './errors.ts'
import { ExtraJobs } from './extra-jobs.ts'
import { createJobWorker } from './job-worker.ts'
import { Keys } from './keys.ts'
import { LEASE_RENEWAL_MS, Leases } from './leases.ts'
import { JOBS_QUEUE, type QueueOptions, resolveOptions } from './options.ts'
import { Processor } from './processor.ts'
import { Publisher } from './publisher.ts'
import { watchQuarantine } from './quarantine.ts'
import { type QueueStats, readStats } from './queue-stats.ts'
import { repeat } from './repeat.ts'
import { ResultCache } from './result-cache.ts'
import { RunningJobs } from './running-jobs.ts'
import { sweepFailedJobs, sweepStaleResults } from './sweep.ts'
import type { Taking } from './taking.ts'

const SWEEP_INTERVAL_MS = 30_000
/** How long handlers get to stop after they were aborted, in milliseconds. */
const STOP_DEADLINE_MS = 10_000
const ANSWER_DEADLINE_MS = 5000

/** Who takes jobs, and from where. */
export interface ConsumerOptions extends QueueOptions {
  /** Unique among all workers, and the same for all parts of this one. */
  readonly workerId: string
  /** Entries that the audit stream keeps, roughly; without it there is no such stream. */
  readonly auditStreamLength?: number | undefined
  readonly observe?: Observe
}

/** The worker's side of the queue. */
export interface Consumer {
  /** Random id of this queue in this Redis: the same for all of its workers, and for nobody else's. */
  readonly deployment: string
  /** Whether the connection to Redis stands. */
  readonly connected: boolean
  /**
   * Starts to take jobs; once only.
   *
   * @throws {ConfigError} if `concurrency` is not a whole number from 1
   */
  run(taking: Taking): void
  /** Stops taking jobs; those that run go on. */
  pause(): Promise<void>
  /** Takes jobs again. */
  resume(): void
  /**
   * Stops taking jobs, gives those that run `graceMs` to end, then aborts them with `JobInterrupted('shutdown')` and puts
   * them back in front of the queue. Resolves when none runs any more, at the latest 10 s after the grace period.
   */
  drain(graceMs: number): Promise<void>
  /** Ends everything, running jobs included, as `drain(0)` does. A second call gets the same promise. */
  close(): Promise<void>
  stats(): Promise<QueueStats>
  /** Tells producers which languages workers offer. */
  registerCatalogue(languages: readonly LanguageSummary[]): Promise<void>
  /** Appends to the audit stream, or does nothing where there is none; never waits, never throws. */
  audit(entry: AuditEntry): void
  readonly lease: {
    /** Which of these workers live. */
    alive(workerIds: readonly string[]): Promise<Set<string>>
  }
  /** Results that jobs like those that made them may have. */
  readonly cache: ResultCache
  /** Takes or keeps a role that only one worker may have, for `ttlMs`; false if another has it. */
  claim(role: string, ttlMs: number): Promise<boolean>
}

/**
 * Connects a worker to the queue; it takes nothing before `run()`.
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
    await within(ANSWER_DEADLINE_MS, consumer.start(), 'no answer within 5 s')
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
  readonly #letGo = new AbortController()
  readonly #ended = new AbortController()
  deployment = ''
  #worker: EndableWorker | undefined
  #extra: ExtraJobs | undefined
  #state: 'ready' | 'taking' | 'paused' | 'draining' = 'ready'
  #draining: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(options: ConsumerOptions, resultTtlSeconds: number, redis: Redis, shownUrl: string) {
    this.#redis = redis
    this.#subscriber = patientDuplicate(redis)
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
    this.#publisher = new Publisher(redis, keys, this.#jobs, resultTtlSeconds)
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
    const lookIntoQuarantine = await watchQuarantine(this.#redis, this.#keys, this.#observe)
    const renew = () => Promise.all([this.#leases.renew(), this.#running.checkFlags(), lookIntoQuarantine()])
    repeat(LEASE_RENEWAL_MS, renew, this.#ended.signal, this.#report)
  }

  get connected(): boolean {
    return this.#redis.status === 'ready'
  }

  run(taking: Taking): void {
    const { concurrency, handle, giveUp } = taking
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
    const processor = new Processor({ ...parts, handle, giveUp, isStopping, letGo: this.#letGo.signal })
    const worker = createJobWorker({ ...taking, ...parts, processor })
    this.#worker = worker
    worker.run().catch(this.#report)
    this.#leases.offer(concurrency).catch(this.#report)
    const { wanted = () => concurrency } = taking
    const isWanted = () => this.#running.size >= concurrency && this.#running.size < wanted()
    this.#extra = new ExtraJobs(worker, { isWanted, onError: this.#report })
    const sweep = async () => {
      await sweepFailedJobs({ ...parts, giveUp })
      if (await this.#leases.claim('sweep', 2 * SWEEP_INTERVAL_MS)) {
        await sweepStaleResults({ ...parts, giveUp }, this.#resultTtlSeconds)
      }
    }
    sweep().catch(this.#report)
    repeat(SWEEP_INTERVAL_MS, sweep, this.#ended.signal, this.#report)
  }

  async pause(): Promise<void> {
    if (this.#state !== 'taking') return
    this.#state = 'paused'
    await this.#worker?.pause(true)
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'taking'
    this.#worker?.resume().catch(this.#report)
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
    // Closing waits for running jobs, and interrupts the wait for the next one so that none is taken late.
    const idle = this.#end(this.#worker).catch(this.#report)
    await settledWithin(idle, graceMs)
    this.#running.interruptAll('shutdown')
    if (await settledWithin(idle, STOP_DEADLINE_MS / 2)) return
    // Redis does not take what is finished; its locks will run out, and the jobs run again elsewhere.
    this.#letGo.abort()
    await settledWithin(idle, STOP_DEADLINE_MS / 2)
  }

  async #end(worker: EndableWorker): Promise<void> {
    const letGo = new Promise((resolve) => this.#letGo.signal.addEventListener('abort', resolve))
    await Promise.race([this.#extra?.end(), letGo])
    await endWorker(worker, {
      isUp: () => this.#redis.status === 'ready',
      isBusy: () => this.#running.size > 0 && !this.#ended.signal.aborted,
    })
  }

  async #close(): Promise<void> {
    await this.drain(0)
    this.#ended.abort()
    this.#letGo.abort()
    if (this.#audit) await settledWithin(this.#audit.idle(), 1000)
    await settledWithin(this.#leases.release().catch(this.#report), 1000)
    await this.#jobs.close().catch(() => {})
    this.#subscriber.disconnect()
    this.#redis.disconnect()
  }

  /** Bounds a question to Redis, whose connection would otherwise wait for as long as Redis is away. */
  #ask<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => {})
    return within(ANSWER_DEADLINE_MS, answer, 'no answer within 5 s').catch((error) => {
      throw unavailable(this.#shownUrl, error)
    })
  }
}
