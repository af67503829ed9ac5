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

/** Where the queue is. */
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

/** What ends the wait for a result. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
}

/** How a job is run. */
export interface RunOptions extends WaitOptions {
  /** Gets each event of the job in order, as `events` does: the job is submitted with `stream: true`. */
  readonly onEvent?: EventListener | undefined
}

/**
 * A producer's connection to Isopod.
 *
 * Everything invalid is refused with `InvalidJobError` before anything is sent: unknown fields, wrong values, and languages
 * that no worker offers. If no worker has ever been connected, any language is taken. When Redis does not answer, calls
 * reject with `UnavailableError` within seconds; a job may then have been enqueued or not, and an `idempotencyKey` makes it
 * safe to send it again. An option that does not exist is a `ConfigError`; a call after `close` is an `UnavailableError`.
 */
export interface IsopodClient {
  /** Enqueues one job and resolves with its id. */
  submit(job: JobInput): Promise<string>
  /** Enqueues jobs in order, 500 in one round trip, and resolves with their ids; if one is invalid, none is enqueued. */
  submitMany(jobs: readonly JobInput[]): Promise<string[]>
  /**
   * Enqueues one job and resolves with its result, which is in no results queue unless the job names a `replyTo`. An abort cancels
   * the job, unless an earlier call with the same `idempotencyKey` enqueued it, and rejects with the signal's reason. An `onEvent`
   * that throws does the same with its error.
   */
  run(job: JobInput, options?: RunOptions): Promise<Result>
  /** Resolves with the result of a job; rejects with `UnknownJobError` if there is no such job. An abort only ends the wait. */
  wait(id: string, options?: WaitOptions): Promise<Result>
  /**
   * Where a job is: `waiting` for a worker, also between two tries; `running` on one; `finished`, with a result that can be
   * read; `unknown`, because there never was such a job or its result has expired.
   */
  state(id: string): Promise<JobState>
  /** The result of a job; undefined if there is none yet, or none any more. */
  result(id: string): Promise<Result | undefined>
  /**
   * Consumes the results of all jobs with the same `replyTo`, also those that came while nobody did. A result is
   * acknowledged only after the handler has resolved; a handler that rejects gets it again. It may see a result twice
   * (its process died, say), and never misses one.
   */
  results(handler: (result: Result) => Promise<void>, options?: ConsumeOptions): ResultsConsumer
  /**
   * What a job with `stream: true` tells while it runs, in order: `status` once it runs, its output, its tests' verdicts, and
   * `finished` at the end; of any other job `finished` alone. The id of an event, as `after`, resumes behind it. Rejects with
   * `UnknownJobError` if there is no such job. An abort only ends the reading.
   *
   * @throws {ConfigError} if `after` is no id of an event
   *
   * @example
   * ```ts
   * for await (const event of isopod.events(id)) if (event.type === 'stdout') process.stdout.write(event.text)
   * ```
   */
  events(id: string, options?: EventsOptions): AsyncIterable<JobEvent>
  /** Cancels a job, whichever process has it. */
  cancel(id: string): Promise<CancelOutcome>
  /**
   * Judges many samples of perhaps many problems, and goes on where an earlier run of the same batch stopped.
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
  /** How many jobs wait and run, and how long the oldest has waited. */
  queue(): Promise<QueueStats>
  /** The languages that workers offer; undefined if no worker has ever been connected. */
  languages(): Promise<LanguageSummary[] | undefined>
  /** Ends batches, stops the consumers, waits for their handlers, and disconnects. A second call gets the same promise. */
  close(): Promise<void>
}

/**
 * Connects to the queue.
 *
 * @param target the URL of the queue's Redis, or that and more
 * @throws {UnavailableError} within 5 s if Redis does not answer, is too old, or may evict keys
 * @throws {ConfigError} naming the option: one that does not exist, a URL that is none, a login that Redis refuses, a database
 * that it does not have
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
      // If the cancellation fails too, the job runs to its end; the caller still gets the abort.
      const isLeft = signal?.aborted || onEvent !== undefined
      if (isLeft && isOurs) await this.#producer.cancel(id).catch(() => {})
      throw error
    }
  }

  /**
   * @param replyTo for a job that names none. It is no part of the job's fingerprint: `submit` and `run` may share a key.
   * @returns `isOurs`: whether this call enqueued the job, and not an earlier one with the same idempotency key
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
      const over = running.catch(() => {}).finally(() => this.#batches.delete(over))
      this.#batches.add(over)
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
    // They leave their batches to whoever goes on with them, for which they need the connection.
    await Promise.all(this.#batches)
    await this.#producer.close()
  }
}

function toEntry(job: Job): Entry {
  if (job.idempotencyKey === undefined) return { id: newJobId(), job }
  return { id: keyedJobId(job.tenant, job.idempotencyKey), job, fingerprint: jobFingerprint(job) }
}
