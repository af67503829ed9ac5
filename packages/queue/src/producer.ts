import {
  IsopodError,
  type JobEvent,
  type LanguageSummary,
  type Result,
  type StoredResult,
} from '@isopod/protocol'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import pTimeout from 'p-timeout'
import { type BatchClaim, type BatchState, takeBatch } from './batches/batch-state.ts'
import { closed } from './errors.ts'
import { type CancelOutcome, type CancelParts, cancelJob } from './jobs/cancel.ts'
import { DepthGate } from './jobs/depth-gate.ts'
import { type Enqueued, type EnqueueParts, type Entry, enqueueJobs } from './jobs/enqueue.ts'
import { IdempotencyKeys } from './jobs/idempotency-keys.ts'
import { type JobState, readJobState } from './jobs/job-state.ts'
import { Publisher } from './jobs/publisher.ts'
import { QueueDeadlines } from './jobs/queue-deadlines.ts'
import { type QueueStats, readStats } from './jobs/queue-stats.ts'
import { checkCursor } from './live/event-entry.ts'
import { EventFeed } from './live/event-feed.ts'
import { JobEnds } from './live/job-ends.ts'
import { type EventsOptions, readEvents } from './live/read-events.ts'
import type { Producer } from './producer-contract.ts'
import { type CheckedRedis, connectRedis, unavailable } from './redis/connect-redis.ts'
import type { DeploymentRedis } from './redis/deployment-redis.ts'
import { Keys } from './redis/keys.ts'
import { JOBS_QUEUE, type QueueOptions, resolveOptions } from './redis/queue-options.ts'
import type { RedisClock } from './redis/redis-clock.ts'
import { MemoryGate } from './redis/redis-memory.ts'
import { isSafeId } from './redis/safe-id.ts'
import { wholeResult } from './results/large-outputs.ts'
import { type ReadOptions, takeResult } from './results/read-result.ts'
import { ResultWaiters, unknownJob, type WaitForResultOptions } from './results/result-waiters.ts'
import {
  consumeResults,
  type ResultsConsumer,
  type ResultsConsumerOptions,
} from './results/results-consumer.ts'
import { type CancelCounts, cancelJobs } from './search/cancel-jobs.ts'
import { JobSearch } from './search/find-jobs.ts'
import type { JobFilter } from './search/job-filter.ts'
import { listJobs, type PageOptions, type QueuedJobs } from './search/list-jobs.ts'
import { Turns } from './tenants/turns.ts'
import { readCatalogue } from './workers/catalogue.ts'
import { countLiveWorkers, type LiveWorkers } from './workers/worker-slots.ts'

/** Timeout of one call to Redis, in milliseconds. */
const ANSWER_DEADLINE_MS = 5000

/**
 * Connects a producer to the queue.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer, is too old, or may evict keys
 * @throws {ConfigError} naming the option
 */
export async function openProducer(options: QueueOptions): Promise<Producer> {
  const resolved = resolveOptions(options)
  const checked = await connectRedis(resolved, 'fail')
  return new RedisProducer(checked, new Keys(resolved.prefix), resolved.resultTtlSeconds)
}

class RedisProducer implements Producer {
  readonly #redis: Redis
  readonly #clock: RedisClock
  readonly #shownUrl: string
  readonly #keys: Keys
  readonly #jobs: Queue
  readonly #enqueueParts: EnqueueParts
  readonly #core: CancelParts
  readonly #search: JobSearch
  readonly #deadlines: QueueDeadlines
  readonly #memory: MemoryGate
  readonly #waiters: ResultWaiters
  readonly #feed: EventFeed
  readonly #ends = new JobEnds((id, signal) => this.waitForResult(id, { signal, shortened: true }))
  readonly #consumers = new Set<ResultsConsumer>()
  #closing: Promise<void> | undefined
  /** Set after the results consumers have stopped, as their handlers may use the connection. */
  #isClosed = false

  constructor({ redis, clock, shownUrl }: CheckedRedis, keys: Keys, ttlSeconds: number) {
    this.#redis = redis
    this.#clock = clock
    this.#shownUrl = shownUrl
    this.#keys = keys
    this.#jobs = new Queue(JOBS_QUEUE, { connection: redis, prefix: keys.tag })
    this.#jobs.on('error', () => {})
    this.#core = { redis, keys, jobs: this.#jobs, publisher: new Publisher(redis, keys, ttlSeconds) }
    this.#search = new JobSearch({ redis, keys, ask: (question) => this.#ask(ANSWER_DEADLINE_MS, question) })
    this.#memory = new MemoryGate(redis)
    this.#deadlines = new QueueDeadlines(this.#core)
    this.#enqueueParts = {
      jobs: this.#jobs,
      idempotencyKeys: new IdempotencyKeys(redis, keys, ttlSeconds),
      turns: new Turns({ redis, keys, jobs: this.#jobs }),
      gate: new DepthGate(redis, keys),
      deadlines: this.#deadlines,
    }
    this.#waiters = new ResultWaiters(redis, keys, () => this.#deadlines.expire())
    this.#feed = new EventFeed(redis)
  }

  enqueue(entries: readonly Entry[]): Promise<Enqueued[]> {
    // A long list takes more time.
    const longer = Math.ceil(entries.length / 100)
    return this.#ask(ANSWER_DEADLINE_MS * (1 + longer), () =>
      enqueueJobs(this.#enqueueParts, entries, this.#clock.now(), (bytes) => this.#memory.admit(bytes)),
    )
  }

  async cancel(id: string): Promise<CancelOutcome> {
    if (!isSafeId(id)) return 'unknown'
    return this.#ask(ANSWER_DEADLINE_MS, () => cancelJob(this.#core, id))
  }

  async cancelJobs(filter: JobFilter): Promise<CancelCounts> {
    const ask = <T>(question: () => Promise<T>) => this.#ask(ANSWER_DEADLINE_MS, question)
    return cancelJobs({ ...this.#core, ask }, this.#search, filter)
  }

  async listJobs(filter: JobFilter, page: PageOptions): Promise<QueuedJobs> {
    return listJobs(this.#search, filter, page)
  }

  async jobState(id: string): Promise<JobState> {
    if (!isSafeId(id)) return 'unknown'
    return this.#ask(ANSWER_DEADLINE_MS, () => readJobState(this.#redis, this.#keys, id))
  }

  async storedResult(id: string, { shortened = false }: ReadOptions = {}): Promise<StoredResult | undefined> {
    if (!isSafeId(id)) return undefined
    const ask: DeploymentRedis['ask'] = (read) => this.#ask(ANSWER_DEADLINE_MS, () => read(this.#redis))
    const found = await ask((redis) => takeResult(redis, this.#keys, id))
    return shortened ? found : found && wholeResult(ask, this.#keys, found)
  }

  waitForResult(id: string, options: WaitForResultOptions = {}): Promise<StoredResult> {
    if (this.#isClosed) return Promise.reject(closed())
    if (!isSafeId(id)) return Promise.reject(unknownJob(id))
    return this.#waiters.wait(id, options)
  }

  events(id: string, options: EventsOptions = {}): AsyncIterable<JobEvent> {
    checkCursor(options.after)
    const source = {
      redis: this.#redis,
      feed: this.#feed,
      key: this.#keys.events(id),
      waitForEnd: (signal: AbortSignal) => this.#ends.wait(id, signal),
      ask: <T>(ask: () => Promise<T>) => this.#ask(ANSWER_DEADLINE_MS, ask),
    }
    return readEvents(source, options)
  }

  async takeBatch(claim: BatchClaim): Promise<BatchState> {
    // Without a deadline: it may wait for the lease of a dead producer.
    const state = await this.#translate(() => takeBatch(this.#redis, this.#keys, claim)).catch((error) => {
      claim.signal.throwIfAborted()
      throw error
    })
    return {
      ...state,
      read: (sample) => this.#ask(ANSWER_DEADLINE_MS, () => state.read(sample)),
      record: (sample, record) => this.#ask(ANSWER_DEADLINE_MS, () => state.record(sample, record)),
      samples: () => this.#ask(ANSWER_DEADLINE_MS, () => state.samples()),
      noteDelivered: () => this.#ask(ANSWER_DEADLINE_MS, () => state.noteDelivered()),
      release: () => this.#ask(ANSWER_DEADLINE_MS, () => state.release()),
    }
  }

  stats(): Promise<QueueStats> {
    return this.#ask(ANSWER_DEADLINE_MS, () => readStats(this.#redis, this.#keys))
  }

  liveWorkers(): Promise<LiveWorkers> {
    return this.#ask(ANSWER_DEADLINE_MS, () => countLiveWorkers(this.#redis, this.#keys))
  }

  catalogue(): Promise<LanguageSummary[] | undefined> {
    return this.#ask(ANSWER_DEADLINE_MS, () => readCatalogue(this.#redis, this.#keys))
  }

  results(
    replyTo: string,
    handler: (result: Result) => Promise<void>,
    options: ResultsConsumerOptions = {},
  ): ResultsConsumer {
    if (this.#closing !== undefined) throw closed()
    const consumer = consumeResults(
      { redis: this.#redis, clock: this.#clock },
      this.#keys,
      replyTo,
      handler,
      options,
    )
    this.#consumers.add(consumer)
    return {
      close: () => {
        this.#consumers.delete(consumer)
        return consumer.close()
      },
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()))
    this.#isClosed = true
    this.#waiters.close()
    this.#deadlines.close()
    this.#feed.close()
    await this.#jobs.close().catch(() => {})
    this.#redis.disconnect()
  }

  /** Bounds a call to Redis. */
  #ask<T>(deadlineMs: number, ask: () => Promise<T>): Promise<T> {
    return this.#translate(() => {
      const answer = ask()
      answer.catch(() => {})
      // Not `message`: its error would be made for each call, and a stack trace costs time.
      const fallback = () => {
        throw new Error(`no answer within ${deadlineMs / 1000} s`)
      }
      return pTimeout(answer, { milliseconds: deadlineMs, fallback })
    })
  }

  /** Turns errors of the connection into an `UnavailableError` or a `StorageFullError`; errors of Isopod pass. */
  async #translate<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed()
    try {
      return await ask()
    } catch (error) {
      if (error instanceof IsopodError) throw error
      throw this.#isClosed ? closed() : unavailable(this.#shownUrl, error)
    }
  }
}
