import {
  ConfigError,
  type Job,
  type JobEvent,
  type JobInput,
  type LanguageSummary,
  parseJob,
  type Result,
  UnavailableError,
} from '@isopod/protocol'
import {
  type CancelCounts,
  type CancelOutcome,
  type Entry,
  type EventsOptions,
  isNewJobId,
  type JobFilter,
  type JobState,
  jobFingerprint,
  keyedJobId,
  NO_RESULTS_QUEUE,
  NoWorkerError,
  newJobId,
  openProducer,
  type Producer,
  type QueuedJobs,
  type QueueStats,
  type ReadOptions,
  type ResultsConsumer,
} from '@isopod/queue'
import { type Batch, openBatch } from './batch/batch.ts'
import type { BatchOptions } from './batch/options.ts'
import { type ConsumeOptions, checkConsumeOptions } from './consume-options.ts'
import type {
  ConnectOptions,
  IsopodClient,
  JobsOptions,
  RunOptions,
  SubmitManyOptions,
  SubmitOptions,
  WaitOptions,
} from './isopod-client.ts'
import { checkCancelFilter, checkJobsOptions } from './job-filter.ts'
import { streaming, waitListening } from './listen.ts'
import { refuseUnknownOptions } from './option-names.ts'
import { parseBatch } from './parse-batch.ts'
import { type LocatedJob, SupportedLanguages } from './supported-languages.ts'
import { checkWorkerTimeout, WorkerWatch, warnOfMissingWorkers } from './worker-watch.ts'

const CONNECT_OPTIONS = {
  url: true,
  prefix: true,
  allowEviction: true,
  resultTtlSeconds: true,
  onNoWorker: true,
} as const
const SUBMIT_OPTIONS = { id: true } as const
const SUBMIT_MANY_OPTIONS = { ids: true } as const
const READ_OPTIONS = { shortened: true } as const
const WAIT_OPTIONS = { signal: true, workerTimeoutSeconds: true } as const
const EVENTS_OPTIONS = { after: true, signal: true } as const
const RUN_OPTIONS = { ...WAIT_OPTIONS, onEvent: true } as const

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
  return new QueueClient(await openProducer({ ...options, url }), options.onNoWorker)
}

class QueueClient implements IsopodClient {
  readonly #producer: Producer
  readonly #languages: SupportedLanguages
  readonly #workers: WorkerWatch
  readonly #batches = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined

  constructor(producer: Producer, onNoWorker = warnOfMissingWorkers) {
    this.#producer = producer
    this.#workers = new WorkerWatch(() => producer.liveWorkers(), onNoWorker)
    this.#languages = new SupportedLanguages(() => producer.catalogue())
  }

  async submit(job: JobInput, options: SubmitOptions = {}): Promise<string> {
    refuseUnknownOptions(options, SUBMIT_OPTIONS)
    return (await this.#submit(job, { id: options.id })).id
  }

  async submitMany(jobs: readonly JobInput[], options: SubmitManyOptions = {}): Promise<string[]> {
    refuseUnknownOptions(options, SUBMIT_MANY_OPTIONS)
    const parsed = parseBatch(jobs)
    const ids = checkIds(options.ids, parsed.length)
    await this.#languages.check(parsed.map((job, index) => ({ job, where: `jobs[${index}].` })))
    const entries = parsed.map((job, index) => toEntry(job, ids?.[index]))
    await this.#producer.enqueue(entries)
    this.#workers.afterSubmit()
    return entries.map(({ id }) => id)
  }

  async run(job: JobInput, options: RunOptions = {}): Promise<Result> {
    refuseUnknownOptions(options, RUN_OPTIONS)
    const { signal, onEvent, workerTimeoutSeconds } = options
    checkWorkerTimeout(workerTimeoutSeconds)
    signal?.throwIfAborted()
    const { id, isOurs } = await this.#submit(onEvent === undefined ? job : streaming(job), {
      replyTo: NO_RESULTS_QUEUE,
    })
    try {
      return await this.#whileWorkersLive(options, (live) =>
        onEvent === undefined
          ? this.#producer.waitForResult(id, { signal: live })
          : waitListening(this.#producer, id, onEvent, live),
      )
    } catch (error) {
      // If the cancellation fails, the job runs to its end; the caller still gets the original error.
      const isAbandoned = signal?.aborted || onEvent !== undefined || error instanceof NoWorkerError
      if (isAbandoned && isOurs) await this.#producer.cancel(id).catch(() => {})
      throw error
    }
  }

  /**
   * @param replyTo for a job that names none. It is not part of the fingerprint, so `submit` and `run` may share a key.
   * @returns `isOurs`: whether this call enqueued the job, as opposed to an earlier one with the same idempotency key
   */
  async #submit(
    job: JobInput,
    { replyTo, id }: { readonly replyTo?: string; readonly id?: string | undefined },
  ): Promise<{ id: string; isOurs: boolean }> {
    const parsed = parseJob(job)
    await this.#languages.check([{ job: parsed, where: '' }])
    const entry = toEntry(parsed, id)
    const queued = replyTo === undefined || job.replyTo !== undefined ? parsed : { ...parsed, replyTo }
    const [outcome] = await this.#producer.enqueue([{ ...entry, job: queued }])
    this.#workers.afterSubmit()
    return { id: entry.id, isOurs: outcome === 'enqueued' }
  }

  async wait(id: string, options: WaitOptions = {}): Promise<Result> {
    refuseUnknownOptions(options, WAIT_OPTIONS)
    checkWorkerTimeout(options.workerTimeoutSeconds)
    return this.#whileWorkersLive(options, (signal) => this.#producer.waitForResult(id, { signal }))
  }

  /** Waits while workers live, or for as long as the caller waits for one. */
  async #whileWorkersLive<T>(
    { signal, workerTimeoutSeconds }: WaitOptions,
    wait: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const over = new AbortController()
    const live = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
    try {
      return await Promise.race([wait(live), this.#workers.untilMissing(over.signal, workerTimeoutSeconds)])
    } finally {
      // The caller need not wait for it.
      setImmediate(() => over.abort())
    }
  }

  state(id: string): Promise<JobState> {
    return this.#producer.jobState(id)
  }

  async result(id: string, options: ReadOptions = {}): Promise<Result | undefined> {
    refuseUnknownOptions(options, READ_OPTIONS)
    return await this.#producer.storedResult(id, options)
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

  async cancelJobs(filter: JobFilter): Promise<CancelCounts> {
    return this.#producer.cancelJobs(checkCancelFilter(filter))
  }

  async jobs(options: JobsOptions = {}): Promise<QueuedJobs> {
    const { filter, ...page } = checkJobsOptions(options)
    return this.#producer.listJobs(filter, page)
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
    this.#workers.close()
    this.#closing.abort(new UnavailableError('the connection was closed before the batch was over'))
    // Batches need the connection to release their leases.
    await Promise.all(this.#batches)
    await this.#producer.close()
  }
}

/** @throws {ConfigError} if the id cannot be the job's */
function toEntry(job: Job, id?: string): Entry {
  if (id !== undefined && !isNewJobId(id)) {
    throw new ConfigError(`id: must be an id from newJobId(), got ${JSON.stringify(id)}`)
  }
  if (job.idempotencyKey === undefined) return { id: id ?? newJobId(), job }
  if (id !== undefined)
    throw new ConfigError('id: goes with no idempotencyKey, which decides the id of the job')
  return { id: keyedJobId(job.tenant, job.idempotencyKey), job, fingerprint: jobFingerprint(job) }
}

/** @throws {ConfigError} unless each job has an id of its own */
function checkIds(ids: readonly string[] | undefined, jobs: number): readonly string[] | undefined {
  if (ids === undefined || (Array.isArray(ids) && ids.length === jobs && new Set(ids).size === jobs))
    return ids
  throw new ConfigError(`ids: must be a list of ${jobs} different ids from newJobId(), one for each job`)
}
