import { type Result, RetryableError, TerminalError } from '@isopod/protocol'
import { type Job as BullJob, DelayedError, WaitingError } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Observe } from '../consumer-events.ts'
import { JobDeferred, JobInterrupted, toError } from '../errors.ts'
import { EventWriter } from '../live/event-writer.ts'
import type { Keys } from '../redis/keys.ts'
import { PLATFORM_TRIES } from '../redis/queue-options.ts'
import { isSafeId } from '../redis/safe-id.ts'
import type { Delivery, GiveUp, Handle } from './delivery.ts'
import type { Outgoing, Publisher } from './publisher.ts'
import type { RunningJobs } from './running-jobs.ts'
import { parseData } from './stored-job.ts'
import { unexecutedJobResult } from './unexecuted-result.ts'

/** Maximum number of stalls of a job; each is most likely a worker that died with the job. */
const MAX_STALLS = 2
/** Maximum number of starts of a job, without those that ended in a platform fault or a requeue. */
const MAX_STARTS = 6
/** How long requeues are counted, in seconds: longer than any job waits. */
const REQUEUES_TTL_SECONDS = 604_800

/** The parts of a processor. */
export interface ProcessorParts {
  readonly redis: Redis
  readonly keys: Keys
  readonly publisher: Publisher
  readonly running: RunningJobs
  readonly workerId: string
  readonly handle: Handle
  readonly giveUp: GiveUp
  readonly observe: Observe
  /** True while no new job should start here. */
  readonly isStopping: () => boolean
  /** Aborted when results that cannot be published are abandoned. */
  readonly abandoned: AbortSignal
}

/** A job with a safe id, its lock's token, and the signal that interrupts it. */
interface Taken {
  readonly bullJob: BullJob
  readonly id: string
  readonly token: string
  readonly signal: AbortSignal
}

/**
 * Processes one job on a worker: checks for a result, runs, publishes, and only then completes the job. BullMQ never fails a job by
 * itself: each path publishes a result, asks for a retry, or leaves the job to other workers.
 */
export class Processor {
  readonly #parts: ProcessorParts

  constructor(parts: ProcessorParts) {
    this.#parts = parts
  }

  /**
   * Processes one job, as BullMQ's processor. Resolving completes the job.
   *
   * @throws {WaitingError} if the job was requeued, or is left to another worker
   * @throws {DelayedError} if the job was deferred
   * @throws {RetryableError} to retry the job after a pause
   */
  async process(bullJob: BullJob, token: string): Promise<void> {
    const { observe, running, isStopping } = this.#parts
    const { id } = bullJob
    // The stored result is the record, whatever the producer asked for.
    bullJob.opts.removeOnComplete = true
    if (!isSafeId(id)) {
      // The id could not be used to ask for a result.
      observe({ type: 'error', error: new TerminalError('dropped a job with an invalid id') })
      return
    }
    if (isStopping()) return this.#requeue(bullJob, token)
    // Entered before the flag is read, so that a request to cancel between the two is not missed.
    const { signal, done } = running.enter(id)
    try {
      await this.#run({ bullJob, id, token, signal })
    } catch (thrown) {
      const isForBullMq = [WaitingError, DelayedError, RetryableError].some((type) => thrown instanceof type)
      if (isForBullMq) throw thrown
      observe({ type: 'error', error: toError(thrown) })
      throw new WaitingError('Redis does not answer; the job is taken again when its lock expires')
    } finally {
      done()
    }
  }

  async #run({ bullJob, id, token, signal }: Taken): Promise<void> {
    const { redis, keys, observe, workerId } = this.#parts
    const [stored, flag] = await redis.mget(keys.result(id), keys.cancelFlag(id))
    if (stored != null) {
      observe({ type: 'alreadyPublished', id })
      return
    }
    const { job, replyTo, refusal } = parseData(bullJob.data)
    const takenAt = Date.now()
    // A raw id in the queue may have no hash, and thus no timestamp.
    const enqueuedAt = Number.isFinite(bullJob.timestamp) ? bullJob.timestamp : takenAt
    const attempt = bullJob.attemptsStarted
    const start = { id, attempt, enqueuedAt }
    const publish = (result: Result) =>
      this.#publish({ result, attempt, replyTo, callbackUrl: job?.callbackUrl })
    const giveUp = (cause: Error) =>
      publish(this.#giveUp(job === undefined ? start : { ...start, job }, cause))

    if (job === undefined) return giveUp(refusal ?? new TerminalError('the job is not valid'))
    const stalls = bullJob.stalledCounter
    const faults = bullJob.attemptsMade
    const exhausted = await this.#whyExhausted(id, attempt, stalls, faults)
    if (exhausted !== undefined) return giveUp(new TerminalError(exhausted))
    const cancelled = () =>
      unexecutedJobResult({
        ...{ id, job, attempt, workerId },
        status: 'cancelled',
        errorMessage: 'The job was cancelled',
      })
    if (flag != null || interruption(signal.reason) === 'cancelled') return publish(cancelled())

    observe({ type: 'taken', id, attempt, waitMs: Math.max(0, takenAt - enqueuedAt) })
    const live = job.stream ? new EventWriter({ redis, key: keys.events(id), attempt, observe }) : undefined
    const delivery: Delivery = { ...start, takenAt, job, stalls, faults, ...(live && { live }) }
    const { result, error } = await this.#handle(delivery, signal)
    live?.end()
    switch (interruption(signal.reason) ?? interruption(error)) {
      case 'lease-lost':
        throw new WaitingError('the job belongs to another worker')
      case 'shutdown':
        return result !== undefined && isFinal(result) ? publish(result) : this.#requeue(bullJob, token)
      case 'cancelled':
        return publish(result ?? cancelled())
      case undefined:
        break
    }
    if (result !== undefined) return publish(result)
    if (error instanceof JobDeferred) return this.#defer(bullJob, token, error.delayMs)
    // The job's own number of attempts is bounded: other programs write to the queue, too.
    const isLastTry = faults + 1 >= Math.min(bullJob.opts.attempts ?? 1, PLATFORM_TRIES)
    if (!(error instanceof RetryableError) || isLastTry) return giveUp(error)
    observe({ type: 'retried', id, error })
    throw error
  }

  async #handle(
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<{ result: Result; error?: never } | { result?: never; error: Error }> {
    try {
      return { result: await this.#parts.handle(delivery, signal) }
    } catch (thrown) {
      return { error: toError(thrown) }
    }
  }

  #giveUp(start: Parameters<GiveUp>[0], cause: Error): Result {
    try {
      return this.#parts.giveUp(start, cause)
    } catch (thrown) {
      this.#parts.observe({ type: 'error', error: toError(thrown) })
      const { workerId } = this.#parts
      return unexecutedJobResult({ ...start, status: 'setup_error', errorMessage: cause.message, workerId })
    }
  }

  async #publish(outgoing: Outgoing): Promise<void> {
    const { publisher, observe, abandoned } = this.#parts
    const { result } = outgoing
    const started = performance.now()
    const report = (outcome: 'failed' | Awaited<ReturnType<Publisher['publish']>>) =>
      observe({ type: 'published', result, outcome, ms: performance.now() - started })
    const onError = (error: Error) => {
      report('failed')
      observe({ type: 'error', error })
    }
    const publication = await publisher.publishPersistently(outgoing, onError, abandoned).catch(() => {
      // Abandoned at shutdown: the lock expires, and another worker runs the job again.
      throw new WaitingError('the result could not be published')
    })
    report(publication)
    if (publication === 'fenced') throw new WaitingError('a later start of the job took over')
  }

  async #whyExhausted(
    id: string,
    attempt: number,
    stalls: number,
    faults: number,
  ): Promise<string | undefined> {
    if (stalls > MAX_STALLS) return `the worker vanished ${stalls} times while it ran this job`
    if (attempt - faults <= MAX_STARTS) return undefined
    const { redis, keys } = this.#parts
    const requeues = Number(await redis.get(keys.requeues(id))) || 0
    if (attempt - faults - requeues <= MAX_STARTS) return undefined
    return `the job was started ${attempt - requeues} times and never ended`
  }

  /** Puts a job that did not run to its end in front of the queue. */
  async #requeue(bullJob: BullJob, token: string): Promise<never> {
    const { observe } = this.#parts
    try {
      await this.#countRequeue(bullJob)
      await bullJob.moveToWait(token)
      observe({ type: 'requeued', id: String(bullJob.id) })
    } catch (thrown) {
      observe({ type: 'error', error: toError(thrown) })
    }
    throw new WaitingError('requeued')
  }

  /** Puts a job back into the queue, to be taken again after a delay. */
  async #defer(bullJob: BullJob, token: string, delayMs: number): Promise<never> {
    await this.#countRequeue(bullJob)
    await bullJob.moveToDelayed(Date.now() + delayMs, token)
    throw new DelayedError()
  }

  async #countRequeue({ id }: BullJob): Promise<void> {
    const { redis, keys } = this.#parts
    const key = keys.requeues(String(id))
    await redis.multi().incr(key).expire(key, REQUEUES_TTL_SECONDS).exec()
  }
}

/** Whether a result of an interrupted job is more than a report that it was interrupted. */
function isFinal(result: Result): boolean {
  return result.status !== 'cancelled' && result.status !== 'setup_error'
}

function interruption(reason: unknown): JobInterrupted['cause'] | undefined {
  return reason instanceof JobInterrupted ? reason.cause : undefined
}
