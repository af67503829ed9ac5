import type { JobEvent, JobInput, LanguageSummary, Result } from '@isopod/protocol'
import type {
  CancelCounts,
  CancelOutcome,
  EventsOptions,
  JobFilter,
  JobState,
  QueuedJobs,
  QueueOptions,
  QueueStats,
  ReadOptions,
  ResultsConsumer,
} from '@isopod/queue'
import type { Batch } from './batch/batch.ts'
import type { BatchOptions } from './batch/options.ts'
import type { ConsumeOptions } from './consume-options.ts'
import type { EventListener } from './listen.ts'

/** Options of `connect`. */
export interface ConnectOptions extends Omit<QueueOptions, 'url'> {
  /**
   * `redis://`, `rediss://`, `redis+unix://<absolute path>`, or the absolute path of a socket.
   * @default the environment variable REDIS_URL, else `redis://127.0.0.1:6379`
   */
  readonly url?: string | undefined
  /**
   * Called once, a few seconds after a submit or into a wait, if no worker is alive: jobs then wait until one starts.
   * @default emits the process warning `ISOPOD_NO_WORKER`
   */
  readonly onNoWorker?: (() => void) | undefined
}

/** Options of `submit`. */
export interface SubmitOptions {
  /** Id of the job, from `newJobId()`, to know it before the result can come. @default a new one */
  readonly id?: string | undefined
}

/** Options of `submitMany`. */
export interface SubmitManyOptions {
  /** Ids of the jobs, each from `newJobId()`. @default new ones */
  readonly ids?: readonly string[] | undefined
}

/** Options of `jobs`: the jobs that agree with each given field. */
export interface JobsOptions extends JobFilter {
  /** Maximum number of jobs, up to 1,000. @default 100 */
  readonly limit?: number | undefined
  /** `cursor` of the page before. @default the first page */
  readonly cursor?: string | undefined
}

/** Options of a wait for a result. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  /** Reject with `NoWorkerError` when no worker has been alive for this long. @default waits for a worker */
  readonly workerTimeoutSeconds?: number | undefined
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
 * again. If Redis is nearly full, submits reject with `StorageFullError`. An unknown option causes a `ConfigError`, a call after `close` an `UnavailableError`.
 */
export interface IsopodClient {
  /**
   * Enqueues one job and resolves with its id.
   *
   * @throws {ConfigError} if the id is not from `newJobId()`, or the job has an `idempotencyKey`, which decides its id
   */
  submit(job: JobInput, options?: SubmitOptions): Promise<string>
  /** Enqueues jobs in order, 500 per round trip, and resolves with their ids; if one is invalid, none is enqueued. */
  submitMany(jobs: readonly JobInput[], options?: SubmitManyOptions): Promise<string[]>
  /**
   * Enqueues one job and resolves with its result. The result goes to no results queue unless the job names a `replyTo`. An
   * abort rejects with the signal's reason and cancels the job, unless an earlier call with the same `idempotencyKey` enqueued
   * it. An error of `onEvent` has the same effect as an abort, and so has a `NoWorkerError`.
   */
  run(job: JobInput, options?: RunOptions): Promise<Result>
  /** Resolves with the result of a job; rejects with `UnknownJobError` if there is no such job. An abort ends only the wait. */
  wait(id: string, options?: WaitOptions): Promise<Result>
  /**
   * The state of a job: `waiting` for a worker, also between two attempts; `running` on a worker; `finished`, with a result;
   * `unknown`: it was never enqueued, or its result has expired.
   */
  state(id: string): Promise<JobState>
  /**
   * The result of a job; undefined if it has not finished, or the result has expired. With `shortened`, outputs over 64 KiB are not
   * fetched: they end after 64 KiB, marked as truncated.
   */
  result(id: string, options?: ReadOptions): Promise<Result | undefined>
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
   * Cancels all jobs that wait or run and agree with each given field. Each has one result, as any other job. Jobs that are submitted
   * meanwhile may be cancelled, too. Reads the whole queue at least twice, in steps of at most 500 jobs.
   *
   * @throws {ConfigError} if no field is given, or one is invalid
   *
   * @example
   * ```ts
   * const { cancelled, requested } = await isopod.cancelJobs({ batchId: 'run-7', labels: { model: 'small' } })
   * ```
   */
  cancelJobs(filter: JobFilter): Promise<CancelCounts>
  /**
   * A page of the jobs that wait, in the order in which they will run, then of delayed and running ones. A job that moves meanwhile may be listed twice or not at all.
   *
   * @throws {ConfigError} naming the option
   *
   * @example
   * ```ts
   * const { jobs, cursor } = await isopod.jobs({ replyTo: 'grades' })
   * for (const { id, state, submittedAt } of jobs) console.log(id, state, new Date(submittedAt))
   * ```
   */
  jobs(options?: JobsOptions): Promise<QueuedJobs>
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
  /** Numbers of waiting and running jobs, live workers and their slots, and the age of the oldest waiting job. */
  queue(): Promise<QueueStats>
  /** The languages that workers offer; undefined before the first worker connects. */
  languages(): Promise<LanguageSummary[] | undefined>
  /** Ends batches, stops the consumers, waits for their handlers, and disconnects. A second call gets the same promise. */
  close(): Promise<void>
}
