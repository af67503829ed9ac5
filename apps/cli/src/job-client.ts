import type { Batch, BatchOptions } from '@isopod/client'
import type { JobEvent, JobInput, LanguageSummary, Result } from '@isopod/protocol'

/** What commands need of a producer. `@isopod/client` is one; `main.ts` joins the two. */
export interface JobClient {
  /** Validates all, enqueues all, and returns their ids in the same order. */
  submitMany(jobs: readonly JobInput[]): Promise<readonly string[]>
  /** Submits and waits; an abort cancels the job and rejects with the signal's reason. */
  run(job: JobInput, options?: { signal?: AbortSignal }): Promise<Result>
  /** Waits until a job has ended; an abort only ends the waiting. */
  wait(id: string, options?: { signal?: AbortSignal }): Promise<Result>
  /** What a job with `stream` publishes while it runs, `finished` at last; an abort only ends the reading. */
  events(id: string, options?: { signal?: AbortSignal }): AsyncIterable<JobEvent>
  /** Many samples on their way to their verdicts; nothing happens until it is iterated. */
  batch(options: BatchOptions): Batch
  /** The stored result, once there is one. */
  result(id: string): Promise<Result | undefined>
  /** Takes results off a results queue; each is gone from it only after the handler has resolved. */
  results(
    handler: (result: Result) => Promise<void>,
    options?: { replyTo?: string; concurrency?: number },
  ): ResultsTaker | Promise<ResultsTaker>
  cancel(id: string): Promise<'cancelled' | 'requested' | 'finished' | 'unknown'>
  /** What workers have registered; undefined if none ever has. */
  languages(): Promise<readonly LanguageSummary[] | undefined>
  close(): Promise<void>
}

/** A consumer of results; `close` lets the handler that runs finish. */
export interface ResultsTaker {
  close(): Promise<void>
}
