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
import { isRefusedBeforeCheck, type SampleJudgement, sampleJudgement } from './batch-outcome.ts'
import type { ResolvedBatchOptions } from './options.ts'
import { type ParsedSample, sampleFingerprint } from './parse-sample.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import type { SampleResult } from './sample.ts'
import type { Tally } from './tally.ts'

/** The parts of a {@link Judge}. */
export interface JudgeParts {
  readonly options: ResolvedBatchOptions
  readonly producer: Producer
  readonly state: BatchState
  readonly tally: Tally
  readonly signal: AbortSignal
}

/** A sample to judge, its place among the samples of its problem, and its record. */
export interface PendingSample {
  readonly sample: ParsedSample
  readonly place: number
  readonly record: SampleRecord | undefined
}

/** A sample with a valid job. */
interface RunnableSample extends PendingSample {
  readonly job: Job
  readonly fingerprint: string
}

/**
 * Judges samples. The id of a job derives from batch, sample and number of retries, so that a resumed batch finds its jobs
 * instead of submitting new ones.
 */
export class Judge {
  readonly #parts: JudgeParts
  /** Submitted jobs without a result, with the place of their sample. */
  readonly #inFlight = new Map<string, { readonly problem: string; readonly place: number }>()

  constructor(parts: JudgeParts) {
    this.#parts = parts
  }

  /**
   * Judges a sample and records its outcome.
   *
   * @throws {BatchConflictError} if another sample is recorded under its id
   */
  async judge(pending: PendingSample): Promise<SampleResult> {
    const { options, producer, tally } = this.#parts
    const { sample, place, record } = pending
    const { id, problem, job } = sample
    const about = { id, problem, resumed: false, retriedFaults: 0 }
    // Every run of the batch refuses it, so it needs no record.
    if ('refusal' in job) return { ...about, outcome: 'failed', result: refusedResult(sample, job.refusal) }

    const fingerprint = sampleFingerprint(problem, job, options.stopWhen === 'never' ? undefined : place)
    if (record !== undefined && record.fingerprint !== fingerprint) throw conflict(options.id, id)
    if (record !== undefined && record.outcome !== 'fault') {
      const { jobId, retries: retriedFaults } = record
      const result = await this.#ask(() => producer.storedResult(jobId, { shortened: true }))
      const scored = this.#scored(record.outcome)
      return { id, problem, ...scored, jobId, retriedFaults, resumed: true, ...(result && { result }) }
    }
    const canSkip = () => tally.problem(problem).canSkip(place)
    let retriedFaults = record === undefined ? 0 : record.retries + 1
    for (let tries = 1; ; tries++, retriedFaults++) {
      if (canSkip()) return { ...about, outcome: 'skipped', retriedFaults }
      const { jobId, result } = await this.#run({ ...pending, job, fingerprint }, retriedFaults)
      const outcome = result === undefined ? 'fault' : sampleJudgement(job, result)
      const ended = { ...about, jobId, retriedFaults, ...(result && { result }) }
      const isCancelled = result?.status === 'cancelled'
      if (isCancelled && canSkip()) return { ...ended, outcome: 'skipped' }
      // A job that another caller cancelled is not replaced; a refused job would be refused again.
      const isFinal = isCancelled || (result !== undefined && isRefusedBeforeCheck(result))
      if (outcome === 'fault' && !isFinal && tries < options.faultTries) {
        await this.#pause(options.faultPauseMs * 2 ** (tries - 1))
        continue
      }
      const { state } = this.#parts
      await this.#ask(() => state.record(id, { outcome, retries: retriedFaults, fingerprint, jobId }))
      return { ...ended, ...this.#scored(outcome) }
    }
  }

  /** The outcome of a judged sample. */
  #scored(judgement: SampleJudgement): Pick<SampleResult, 'outcome' | 'judgeError'> {
    if (judgement !== 'judge_error') return { outcome: judgement }
    const isExcluded = this.#parts.options.judgeErrors === 'exclude'
    return { outcome: isExcluded ? 'excluded' : 'failed', judgeError: true }
  }

  /** Fetches the outputs of a result that are stored apart, for a program that takes it. */
  async complete(ended: SampleResult): Promise<SampleResult> {
    const { jobId } = ended
    if (jobId === undefined || ended.result === undefined || !('storedApart' in ended.result)) return ended
    const result = await this.#ask(() => this.#parts.producer.storedResult(jobId))
    return result === undefined ? ended : { ...ended, result }
  }

  /** Cancels the jobs in flight of a problem's samples that can be skipped. */
  cancelSkippable(problem: string): void {
    const { tally } = this.#parts
    for (const [jobId, other] of this.#inFlight) {
      if (other.problem === problem && tally.problem(problem).canSkip(other.place)) this.#cancel(jobId)
    }
  }

  /** Cancels all jobs in flight. */
  async cancelAll(): Promise<void> {
    await Promise.all([...this.#inFlight.keys()].map((jobId) => this.#cancel(jobId)))
  }

  /** Submits a sample's job, or finds it, and waits for its result; undefined if the result was lost. */
  async #run(
    { sample: { id, problem }, place, job }: RunnableSample,
    retry: number,
  ): Promise<{ jobId: string; result: Result | undefined }> {
    const { options, producer, tally, signal } = this.#parts
    const jobId = keyedJobId(job.tenant, JSON.stringify(['batch', options.id, id, retry]))
    const entry = { id: jobId, job, fingerprint: jobFingerprint(job) }
    this.#inFlight.set(jobId, { problem, place })
    try {
      await this.#ask(() => producer.enqueue([entry]))
      // The sample may have become skippable before there was a job to cancel.
      if (tally.problem(problem).canSkip(place)) this.#cancel(jobId)
      return { jobId, result: await producer.waitForResult(jobId, { signal, shortened: true }) }
    } catch (error) {
      if (error instanceof IdempotencyConflictError) throw conflict(options.id, id)
      if (error instanceof UnknownJobError) return { jobId, result: undefined }
      throw error
    } finally {
      // After an abort the job is still in flight.
      if (!signal.aborted) this.#inFlight.delete(jobId)
    }
  }

  /** Cancels a job; if that fails, the job runs to its end. */
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
    `samples[${JSON.stringify(sample)}]: the batch ${batch} has another sample with this id: its problem, its job or its place among the samples differs; use another id`,
  )
}

function refusedResult(
  { id }: ParsedSample,
  { message, problems }: { message: string; problems: readonly { message: string }[] },
): Result {
  return unexecutedJobResult({
    id,
    status: 'validation_error',
    errorMessage: message,
    validationErrors: problems.map((problem) => problem.message),
    attempt: 0,
    workerId: '',
  })
}
