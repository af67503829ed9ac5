import { ConfigError, type LanguageSummary } from '@isopod/protocol'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import pTimeout from 'p-timeout'
import { ResultCache } from './cache/result-cache.ts'
import type { Consumer, ConsumerOptions } from './consumer-contract.ts'
import { guardedObserver, type Observe } from './consumer-events.ts'
import { toError } from './errors.ts'
import type { CancelParts } from './jobs/cancel.ts'
import { writeMaxWaiting } from './jobs/depth-gate.ts'
import { createJobWorker } from './jobs/job-worker.ts'
import { Processor } from './jobs/processor.ts'
import { Publisher } from './jobs/publisher.ts'
import { QueueDeadlines } from './jobs/queue-deadlines.ts'
import { readWorkerStats, type WorkerStats } from './jobs/queue-stats.ts'
import { RunningJobs } from './jobs/running-jobs.ts'
import { StartNotes } from './jobs/start-notes.ts'
import type { JobWorkerOptions } from './jobs/worker-options.ts'
import { type CheckedRedis, connectRedis, unavailable, waitingDuplicate } from './redis/connect-redis.ts'
import { interval } from './redis/interval.ts'
import { Keys } from './redis/keys.ts'
import { watchQuarantine } from './redis/quarantine.ts'
import { JOBS_QUEUE, resolveOptions } from './redis/queue-options.ts'
import type { QueueWorker } from './redis/queue-worker.ts'
import type { RedisClock } from './redis/redis-clock.ts'
import { MemoryWatch } from './redis/redis-memory.ts'
import { settledWithin } from './redis/settled-within.ts'
import { startSweeps } from './sweeps.ts'
import { TenantGate } from './tenants/tenant-gate.ts'
import { type AuditEntry, AuditStream } from './workers/audit-stream.ts'
import { writeCatalogue } from './workers/catalogue.ts'
import { readDeployment } from './workers/deployment.ts'
import { LEASE_RENEWAL_MS, Leases } from './workers/leases.ts'

/** How long aborted handlers may take to stop, in milliseconds. */
const STOP_DEADLINE_MS = 10_000
/** Timeout of one call to Redis. */
const ANSWER_TIMEOUT = { milliseconds: 5000, message: 'no answer within 5 s' }

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
  const checked = await connectRedis(resolved, 'wait')
  const { redis, shownUrl } = checked
  const consumer = new RedisConsumer(options, resolved.resultTtlSeconds, checked)
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
  readonly clock: RedisClock
  readonly #redis: Redis
  readonly #subscriber: Redis
  readonly #shownUrl: string
  readonly #keys: Keys
  readonly #observe: Observe
  readonly #running: RunningJobs
  readonly #report = (thrown: unknown): void => this.#observe({ type: 'error', error: toError(thrown) })
  readonly #leases: Leases
  readonly #memory: MemoryWatch
  readonly #jobs: Queue
  readonly #core: CancelParts
  readonly #tenants: TenantGate
  readonly #audit: AuditStream | undefined
  readonly #workerId: string
  readonly #maxWaiting: number | undefined
  readonly #maxUntaken: ConsumerOptions['maxUntaken']
  readonly #resultTtlSeconds: number
  readonly #abandoned = new AbortController()
  readonly #ended = new AbortController()
  deployment = ''
  #worker: QueueWorker | undefined
  #state: 'ready' | 'taking' | 'paused' | 'draining' = 'ready'
  #draining: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(options: ConsumerOptions, resultTtlSeconds: number, { redis, clock, shownUrl }: CheckedRedis) {
    this.#redis = redis
    this.clock = clock
    this.#subscriber = waitingDuplicate(redis)
    this.#shownUrl = shownUrl
    const keys = new Keys(resolveOptions(options).prefix)
    this.#keys = keys
    const observe = guardedObserver(options.observe)
    this.#observe = observe
    this.#workerId = options.workerId
    this.#maxWaiting = options.maxWaiting
    this.#maxUntaken = options.maxUntaken
    this.#leases = new Leases(redis, keys, options.workerId)
    this.#memory = new MemoryWatch(redis, (full) => {
      observe({ type: full ? 'redisFull' : 'redisRoom' })
      this.#takeOrPause()
    })
    this.lease = { alive: (workerIds) => this.#ask(this.#leases.alive(workerIds)) }
    this.cache = new ResultCache(redis, keys)
    this.#running = new RunningJobs(redis, keys)
    this.#resultTtlSeconds = resultTtlSeconds
    this.#jobs = new Queue(JOBS_QUEUE, { connection: redis, prefix: keys.tag })
    this.#jobs.on('error', (error) => observe({ type: 'error', error }))
    this.#core = { redis, keys, jobs: this.#jobs, publisher: new Publisher(redis, keys, resultTtlSeconds) }
    this.#tenants = new TenantGate({ redis, keys, jobs: this.#jobs, rules: options.tenants ?? {} })
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
      this.#tenants.publish(),
      writeMaxWaiting(this.#redis, this.#keys, this.#maxWaiting),
      this.#memory.start(this.#ended.signal, this.#report),
    ])
    this.deployment = deployment
    this.#leases.deployment = deployment
    const checkQuarantine = await watchQuarantine(this.#redis, this.#keys, (counts) =>
      this.#observe({ type: 'quarantined', counts }),
    )
    const deadlines = new QueueDeadlines(this.#core)
    const renew = () => Promise.all([this.#leases.renew(), this.#running.checkRequests(), checkQuarantine()])
    void interval(LEASE_RENEWAL_MS, renew, this.#ended.signal, this.#report)
    void interval(LEASE_RENEWAL_MS, () => deadlines.expire(), this.#ended.signal, this.#report)
    void interval(LEASE_RENEWAL_MS, () => this.#tenants.renew(), this.#ended.signal, this.#report)
  }

  get connected(): boolean {
    return this.#redis.status === 'ready' && this.#leases.isFresh
  }

  get full(): boolean {
    return this.#memory.full
  }

  run(options: JobWorkerOptions): void {
    const { concurrency, handle, giveUp } = options
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new ConfigError(`concurrency: must be a whole number from 1, got ${concurrency}`)
    }
    if (this.#state !== 'ready') return
    this.#state = 'taking'
    const parts = {
      ...this.#core,
      clock: this.clock,
      running: this.#running,
      tenants: this.#tenants,
      notes: new StartNotes(this.#redis, this.#keys, this.#leases),
      observe: this.#observe,
      workerId: this.#workerId,
    }
    const isStopping = () => this.#state === 'paused' || this.#state === 'draining'
    const abandoned = this.#abandoned.signal
    const onRun = (seconds: number) => this.#leases.pace.count(seconds)
    const processor = new Processor({ ...parts, handle, giveUp, onRun, isStopping, abandoned })
    this.#worker = createJobWorker({ ...options, ...parts, processor })
    this.#worker.run().catch(this.#report)
    this.#leases.offer(concurrency).catch(this.#report)
    this.#takeOrPause()
    startSweeps({
      ...{ ...parts, giveUp, leases: this.#leases, resultTtlSeconds: this.#resultTtlSeconds },
      ...{ maxUntaken: this.#maxUntaken, ended: this.#ended.signal, report: this.#report },
    })
  }

  async pause(): Promise<void> {
    if (this.#state === 'taking') this.#state = 'paused'
    this.#takeOrPause()
  }

  resume(): void {
    if (this.#state === 'paused') this.#state = 'taking'
    this.#takeOrPause()
  }

  drain(graceMs: number): Promise<void> {
    this.#draining ??= this.#drain(graceMs)
    return this.#draining
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  stats(): Promise<WorkerStats> {
    return this.#ask(readWorkerStats(this.#redis, this.#keys))
  }

  registerCatalogue(languages: readonly LanguageSummary[]): Promise<void> {
    return this.#ask(writeCatalogue(this.#redis, this.#keys, languages))
  }

  audit = (entry: AuditEntry): void => this.#audit?.append(entry)

  claim(role: string, ttlMs: number): Promise<boolean> {
    return this.#ask(this.#leases.claim(role, ttlMs))
  }

  #takeOrPause(): void {
    if (this.#state === 'taking' && !this.#memory.full) this.#worker?.resume()
    else this.#worker?.pause()
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
