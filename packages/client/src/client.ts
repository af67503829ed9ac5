import {
  type Job,
  type JobEvent,
  type JobInput,
  type LanguageSummary,
  parseJob,
  type Result,
  UnavailableError,
} from '@isopod/protocol'
import {
  type CancelOutcome,
  type Entry,
  type EventsOptions,
  type JobState,
  jobFingerprint,
  keyedJobId,
  NO_RESULTS_QUEUE,
  newJobId,
  openProducer,
  type Producer,
  type QueueOptions,
  type QueueStats,
  type ResultsConsumer,
} from '@isopod/queue'
import { type Batch, openBatch } from './batch/batch.ts'
import type { BatchOptions } from './batch/options.ts'
import { type ConsumeOptions, checkConsumeOptions } from './consume-options.ts'
import { type EventListener, streaming, waitListening } from './listen.ts'
import { refuseUnknownOptions } from './option-names.ts'
import { parseBatch } from './parse-batch.ts'
import { type LocatedJob, SupportedLanguages } from './supported-languages.ts'

/** Options of {@link connect}. */
export interface ConnectOptions extends Omit<QueueOptions, 'url'> {
  /**
   * `redis://`, `rediss://`, `redis+unix://<absolute path>`, or the absolute path of a socket.
   * @default the environment variable REDIS_URL, else `redis://127.0.0.1:6379`
   */
  readonly url?: string | undefined
}

const CONNECT_OPTIONS = { url: true, prefix: true, allowEviction: true, resultTtlSeconds: true } as const
const WAIT_OPTIONS = { signal: true } as const
const EVENTS_OPTIONS = { after: true, signal: true } as const
const RUN_OPTIONS = { ...WAIT_OPTIONS, onEvent: true } as const

/** Options of a wait for a result. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
}

/** Options of `run`. */
export interface RunOptions extends WaitOptions {
  /** Receives each event of the job in order, as from `events`; sets `stream: true`. */
  readonly onEvent?: EventListener | undefined
}

/**
 * A producer's connection to Isopod.
 *
 * Invalid jobs are refused with `InvalidJobError` before anything is sent: unknown fields, wrong values, and languages that no
 * worker offers. Before the first worker connects, any language is accepted. If Redis does not answer, calls reject with
 * `UnavailableError` within seconds; the job may or may not be enqueued, and with an `idempotencyKey` it is safe to submit it
 * again. An unknown option causes a `ConfigError`, a call after `close` an `UnavailableError`.
 */
export interface IsopodClient {
  /** Enqueues one job and resolves with its id. */
  submit(job: JobInput): Promise<string>
  /** Enqueues jobs in order, 500 per round trip, and resolves with their ids; if one is invalid, none is enqueued. */
  submitMany(jobs: readonly JobInput[]): Promise<string[]>
  /**
   * Enqueues one job and resolves with its result. The result goes to no results queue unless the job names a `replyTo`. An
   * abort rejects with the signal's reason and cancels the job, unless an earlier call with the same `idempotencyKey` enqueued
   * it. An error of `onEvent` has the same effect as an abort.
   */
  run(job: JobInput, options?: RunOptions): Promise<Result>
  /** Resolves with the result of a job; rejects with `UnknownJobError` if there is no such job. An abort ends only the wait. */
  wait(id: string, options?: WaitOptions): Promise<Result>
  /**
   * The state of a job: `waiting` for a worker, also between two attempts; `running` on a worker; `finished`, with a result;
   * `unknown`: it was never enqueued, or its result has expired.
   */
  state(id: string): Promise<JobState>
  /** The result of a job; undefined if it has not finished, or the result has expired. */
  result(id: string): Promise<Result | undefined>
  /**
   * Consumes the results of all jobs with the same `replyTo`, including those that arrived earlier. A result is acknowledged
   * only after the handler has resolved; a handler that rejects gets it again. The handler may see a result twice, for example
   * after a crash, but never misses one.
   */
  results(handler: (result: Result) => Promise<void>, options?: ConsumeOptions): ResultsConsumer
  /**
   * The events of a job with `stream: true`, in order: `status` when it starts, its output, the verdicts of its tests, and
   * `finished`. Any other job has only `finished`. With the id of an event as `after`, it resumes after that event. Rejects
   * with `UnknownJobError` if there is no such job. An abort ends only the iteration.
   *
   * @throws {ConfigError} if `after` is not the id of an event
   *
   * @example
   * ```ts
   * for await (const event of isopod.events(id)) if (event.type === 'stdout') process.stdout.write(event.text)
   * ```
   */
  events(id: string, options?: EventsOptions): AsyncIterable<JobEvent>
  /** Cancels a job that waits or runs. */
  cancel(id: string): Promise<CancelOutcome>
  /**
   * Judges many samples of one or more problems. A batch with the id of an earlier one resumes it.
   *
   * @throws {ConfigError} naming the option
   *
   * @example
   * ```ts
   * const batch = isopod.batch({ id: 'model-7', samples: read('samples.jsonl'), k: [1, 10] })
   * for await (const { id, outcome } of batch) console.log(id, outcome)
   * const { passAt, faults } = await batch.summary()
   * ```
   */
  batch(options: BatchOptions): Batch
  /** Numbers of waiting and running jobs, and the age of the oldest waiting job. */
  queue(): Promise<QueueStats>
  /** The languages that workers offer; undefined before the first worker connects. */
  languages(): Promise<LanguageSummary[] | undefined>
  /** Ends batches, stops the consumers, waits for their handlers, and disconnects. A second call gets the same promise. */
  close(): Promise<void>
}

/**
 * Connects to the queue.
 *
 * @param target the URL of the queue's Redis, or options
 * @throws {UnavailableError} within 5 s if Redis does not answer, is too old, or may evict keys
 * @throws {ConfigError} naming the option: unknown, an invalid URL, a login that Redis refuses, or a database that it lacks
 *
 * @example
 * ```ts
 * const isopod = await connect('redis://127.0.0.1:6379')
 * const { status, stdout } = await isopod.run({ language: 'python', code: 'print(1 + 1)' })
 * await isopod.close()
 * ```
 */
export async function connect(target: string | ConnectOptions = {}): Promise<IsopodClient> {
  const options: ConnectOptions = typeof target === 'string' ? { url: target } : target
  refuseUnknownOptions(options, CONNECT_OPTIONS)
  const url = options.url ?? (process.env['REDIS_URL'] || 'redis://127.0.0.1:6379')
  return new QueueClient(await openProducer({ ...options, url }))
}

class QueueClient implements IsopodClient {
  readonly #producer: Producer
  readonly #languages: SupportedLanguages
  readonly #batches = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined

  constructor(producer: Producer) {
    this.#producer = producer
    this.#languages = new SupportedLanguages(() => producer.catalogue())
  }

  async submit(job: JobInput): Promise<string> {
    return (await this.#submit(job)).id
  }

  async submitMany(jobs: readonly JobInput[]): Promise<string[]> {
    const parsed = parseBatch(jobs)
    await this.#languages.check(parsed.map((job, index) => ({ job, where: `jobs[${index}].` })))
    const entries = parsed.map(toEntry)
    await this.#producer.enqueue(entries)
    return entries.map(({ id }) => id)
  }

  async run(job: JobInput, options: RunOptions = {}): Promise<Result> {
    refuseUnknownOptions(options, RUN_OPTIONS)
    const { signal, onEvent } = options
    signal?.throwIfAborted()
    const { id, isOurs } = await this.#submit(onEvent === undefined ? job : streaming(job), NO_RESULTS_QUEUE)
    try {
      if (onEvent === undefined) return await this.#producer.waitForResult(id, options)
      return await waitListening(this.#producer, id, onEvent, signal)
    } catch (error) {
      // If the cancellation fails, the job runs to its end; the caller still gets the original error.
      const isAbandoned = signal?.aborted || onEvent !== undefined
      if (isAbandoned && isOurs) await this.#producer.cancel(id).catch(() => {})
      throw error
    }
  }

  /**
   * @param replyTo for a job that names none. It is not part of the fingerprint, so `submit` and `run` may share a key.
   * @returns `isOurs`: whether this call enqueued the job, as opposed to an earlier one with the same idempotency key
   */
  async #submit(job: JobInput, replyTo?: string): Promise<{ id: string; isOurs: boolean }> {
    const parsed = parseJob(job)
    await this.#languages.check([{ job: parsed, where: '' }])
    const entry = toEntry(parsed)
    const queued = replyTo === undefined || job.replyTo !== undefined ? parsed : { ...parsed, replyTo }
    const [outcome] = await this.#producer.enqueue([{ ...entry, job: queued }])
    return { id: entry.id, isOurs: outcome === 'enqueued' }
  }

  async wait(id: string, options: WaitOptions = {}): Promise<Result> {
    refuseUnknownOptions(options, WAIT_OPTIONS)
    return this.#producer.waitForResult(id, options)
  }

  state(id: string): Promise<JobState> {
    return this.#producer.jobState(id)
  }

  result(id: string): Promise<Result | undefined> {
    return this.#producer.storedResult(id)
  }

  results(handler: (result: Result) => Promise<void>, options: ConsumeOptions = {}): ResultsConsumer {
    const { replyTo, ...rest } = checkConsumeOptions(options)
    return this.#producer.results(replyTo, handler, rest)
  }

  events(id: string, options: EventsOptions = {}): AsyncIterable<JobEvent> {
    refuseUnknownOptions(options, EVENTS_OPTIONS)
    return this.#producer.events(id, options)
  }

  cancel(id: string): Promise<CancelOutcome> {
    return this.#producer.cancel(id)
  }

  batch(options: BatchOptions): Batch {
    if (this.#closed !== undefined) throw new UnavailableError('the client is closed; connect again')
    const checkLanguages = (jobs: readonly LocatedJob[]) => this.#languages.check(jobs)
    const onRun = (running: Promise<unknown>) => {
      const ended = running.catch(() => {}).finally(() => this.#batches.delete(ended))
      this.#batches.add(ended)
    }
    const { signal: closing } = this.#closing
    return openBatch({ producer: this.#producer, checkLanguages, closing, onRun }, options)
  }

  queue(): Promise<QueueStats> {
    return this.#producer.stats()
  }

  languages(): Promise<LanguageSummary[] | undefined> {
    return this.#producer.catalogue()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort(new UnavailableError('the connection was closed before the batch was over'))
    // Batches need the connection to release their leases.
    await Promise.all(this.#batches)
    await this.#producer.close()
  }
}

function toEntry(job: Job): Entry {
  if (job.idempotencyKey === undefined) return { id: newJobId(), job }
  return { id: keyedJobId(job.tenant, job.idempotencyKey), job, fingerprint: jobFingerprint(job) }
}
