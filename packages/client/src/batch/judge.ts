import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, Result } from '@isopod/protocol'
import {
  BatchConflictError,
  type BatchState,
  IdempotencyConflictError,
  jobFingerprint,
  keyedJobId,
  type Producer,
  type SampleRecord,
  UnknownJobError,
  unexecutedJobResult,
} from '@isopod/queue'
import { isRefusedUnseen, judged } from './judged.ts'
import type { ResolvedBatchOptions } from './options.ts'
import { type ParsedSample, sampleFingerprint } from './parse-sample.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import type { SampleResult } from './sample.ts'
import type { Tally } from './tally.ts'

/** What samples are judged with. */
export interface JudgeParts {
  readonly options: ResolvedBatchOptions
  readonly producer: Producer
  readonly state: BatchState
  readonly tally: Tally
  readonly signal: AbortSignal
}

/** A sample, its place among those of its problem, and what is on record of it. */
export interface Turn {
  readonly sample: ParsedSample
  readonly place: number
  readonly record: SampleRecord | undefined
}

/** A sample whose code can be run. */
interface Runnable extends Turn {
  readonly job: Job
  readonly fingerprint: string
}

/**
 * Takes samples to their outcome. Each job's id follows from batch, sample and how often it was submitted, so that whoever
 * goes on with the batch meets the same jobs again instead of making others.
 */
export class Judge {
  readonly #parts: JudgeParts
  /** Jobs that were submitted and have no result yet, with the place of their sample. */
  readonly #inFlight = new Map<string, { readonly problem: string; readonly place: number }>()

  constructor(parts: JudgeParts) {
    this.#parts = parts
  }

  /**
   * Resolves with what became of a sample, which is then on record.
   *
   * @throws {BatchConflictError} if another sample is known under its id
   */
  async judge(turn: Turn): Promise<SampleResult> {
    const { options, producer, tally } = this.#parts
    const { sample, place, record } = turn
    const { id, problem, job } = sample
    const about = { id, problem, resumed: false, retriedFaults: 0 }
    // Who refuses it, an earlier run and this one refuse alike: it needs no record.
    if ('refusal' in job) return { ...about, outcome: 'failed', result: refusedResult(turn, job.refusal) }

    const fingerprint = sampleFingerprint(problem, job, options.stopWhen === 'never' ? undefined : place)
    if (record !== undefined && record.fingerprint !== fingerprint) throw conflict(options.id, id)
    if (record !== undefined && record.outcome !== 'fault') {
      const { outcome, jobId, retries: retriedFaults } = record
      const result = await this.#ask(() => producer.storedResult(jobId))
      return { id, problem, outcome, jobId, retriedFaults, resumed: true, ...(result && { result }) }
    }
    const isNeedless = () => tally.problem(problem).isAnsweredFor(place)
    let retriedFaults = record === undefined ? 0 : record.retries + 1
    for (let tries = 1; ; tries++, retriedFaults++) {
      if (isNeedless()) return { ...about, outcome: 'skipped', retriedFaults }
      const { jobId, result } = await this.#run({ ...turn, job, fingerprint }, retriedFaults)
      const outcome = result === undefined ? 'fault' : judged(job, result)
      const ended = { ...about, jobId, retriedFaults, ...(result && { result }) }
      const isCancelled = result?.status === 'cancelled'
      if (isCancelled && isNeedless()) return { ...ended, outcome: 'skipped' }
      // Whoever cancels a job of ours wants no other in its place; who refuses one, refuses it again.
      const isFinal = isCancelled || (result !== undefined && isRefusedUnseen(result))
      if (outcome === 'fault' && !isFinal && tries < options.faultTries) {
        await this.#pause(options.faultPauseMs * 2 ** (tries - 1))
        continue
      }
      const { state } = this.#parts
      await this.#ask(() => state.record(id, { outcome, retries: retriedFaults, fingerprint, jobId }))
      return { ...ended, outcome }
    }
  }

  /** Cancels what runs for a problem although it is answered. */
  endNeedless(problem: string): void {
    const { tally } = this.#parts
    for (const [jobId, other] of this.#inFlight) {
      if (other.problem === problem && tally.problem(problem).isAnsweredFor(other.place)) this.#cancel(jobId)
    }
  }

  /** Cancels everything that runs. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#inFlight.keys()].map((jobId) => this.#cancel(jobId)))
  }

  /** Submits a sample's job, or finds it, and waits for its result; undefined if that was lost. */
  async #run(
    { sample: { id, problem }, place, job }: Runnable,
    retry: number,
  ): Promise<{ jobId: string; result: Result | undefined }> {
    const { options, producer, tally, signal } = this.#parts
    const jobId = keyedJobId(job.tenant, JSON.stringify(['batch', options.id, id, retry]))
    const entry = { id: jobId, job, fingerprint: jobFingerprint(job) }
    this.#inFlight.set(jobId, { problem, place })
    try {
      await this.#ask(() => producer.enqueue([entry]))
      // Before it was enqueued there was nothing to cancel.
      if (tally.problem(problem).isAnsweredFor(place)) this.#cancel(jobId)
      return { jobId, result: await producer.waitForResult(jobId, { signal }) }
    } catch (error) {
      if (error instanceof IdempotencyConflictError) throw conflict(options.id, id)
      if (error instanceof UnknownJobError) return { jobId, result: undefined }
      throw error
    } finally {
      // What was not waited for to its end is still in flight.
      if (!signal.aborted) this.#inFlight.delete(jobId)
    }
  }

  /** Should it fail, the job just runs. */
  async #cancel(jobId: string): Promise<void> {
    await this.#parts.producer.cancel(jobId).catch(() => {})
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#parts
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
  }

  #ask<T>(call: () => Promise<T>): Promise<T> {
    return retryWhileUnavailable(call, this.#parts.signal)
  }
}

function conflict(batch: string, sample: string): BatchConflictError {
  return new BatchConflictError(
    `samples[${JSON.stringify(sample)}]: the batch ${batch} knows another sample under this id: its problem, its job or its place among the samples differs; use another id`,
  )
}

function refusedResult(
  { sample }: Turn,
  { message, problems }: { message: string; problems: readonly { message: string }[] },
): Result {
  return unexecutedJobResult({
    id: sample.id,
    status: 'validation_error',
    errorMessage: message,
    validationErrors: problems.map((problem) => problem.message),
    attempt: 0,
    workerId: '',
  })
}
