import { type Result, RetryableError, TerminalError } from '@isopod/protocol'
import { type Job as BullJob, WaitingError } from 'bullmq'
import type { Redis } from 'ioredis'
import { type Completing, type Completion, isFresh } from './completion.ts'
import type { Observe } from './consumer-events.ts'
import type { Delivery, GiveUp, Handle } from './delivery.ts'
import { JobInterrupted, toError } from './errors.ts'
import { HAND_BACK, HANDED_BACK } from './hand-back-lua.ts'
import { isSafeId } from './job-id.ts'
import type { Keys } from './keys.ts'
import { EventWriter } from './live/event-writer.ts'
import { PLATFORM_TRIES } from './options.ts'
import type { Outgoing, Publisher } from './publisher.ts'
import type { RunningJobs } from './running-jobs.ts'
import { parseData } from './stored-job.ts'
import { unrunResult } from './unrun-result.ts'

/** Stalls, each most likely a worker that died with the job, that one job may survive. */
const MAX_STALLS = 2
/** Starts that one job may have, not counting those that a fault of the platform ended, or that ended before it ran. */
const MAX_STARTS = 6

/** What a processor works with. */
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
  /** Aborted when even unpublished outcomes are to be let go. */
  readonly letGo: AbortSignal
}

/** Makes the arguments of the script that completes the job that is processed; called anew for each try. */
type Complete = () => Completing

/** One job in a processor's hands. */
interface Turn {
  readonly bullJob: BullJob
  readonly id: string
  readonly token: string
  readonly complete: Complete
  readonly signal: AbortSignal
}

/**
 * The way of one job through a worker: take, run, publish, and only then complete. BullMQ never fails a job by itself as
 * long as this function is in charge: each way out publishes a result, asks for another try, or leaves the job to others.
 */
export class Processor {
  readonly #parts: ProcessorParts

  constructor(parts: ProcessorParts) {
    this.#parts = parts
  }

  /**
   * Processes one delivery; returning completes the job, a WaitingError leaves it as it is.
   *
   * @param complete what completes the job in one step with the publication of its result
   */
  async process(bullJob: BullJob, token: string, complete: Complete): Promise<Completion | undefined> {
    const { observe, running, isStopping } = this.#parts
    const { id } = bullJob
    if (!isSafeId(id)) {
      // Its result would have no name that anyone could ask for.
      observe({ type: 'error', error: new TerminalError('a job whose id cannot be one was dropped') })
      return undefined
    }
    if (isStopping()) return this.#handBack(bullJob, token)
    // Entered before the flag is read: a request to cancel that comes between the two is not missed.
    const { signal, done } = running.enter(id)
    try {
      return await this.#run({ bullJob, id, token, complete, signal })
    } catch (thrown) {
      if (thrown instanceof WaitingError || thrown instanceof RetryableError) throw thrown
      // The job is left to its lock: when that runs out, the job is taken again.
      observe({ type: 'error', error: toError(thrown) })
      throw new WaitingError('the way to Redis is broken')
    } finally {
      done()
    }
  }

  async #run({ bullJob, id, token, complete, signal }: Turn): Promise<Completion | undefined> {
    const { redis, keys, observe, workerId } = this.#parts
    const [stored, flag] = isFresh(bullJob) ? [] : await redis.mget(keys.result(id), keys.cancelFlag(id))
    if (stored != null) {
      observe({ type: 'alreadyPublished', id })
      return undefined
    }
    const { job, replyTo, refusal } = parseData(bullJob.data)
    const takenAt = Date.now()
    // An id can lie in the queue without a job that says when it came.
    const enqueuedAt = Number.isFinite(bullJob.timestamp) ? bullJob.timestamp : takenAt
    const start = { id, attempt: bullJob.attemptsStarted, enqueuedAt }
    const publish = (result: Result) =>
      this.#publish({ result, attempt: start.attempt, replyTo, callbackUrl: job?.callbackUrl }, complete)
    const giveUp = (cause: Error) =>
      publish(this.#giveUp(job === undefined ? start : { ...start, job }, cause))

    if (job === undefined) return giveUp(refusal ?? new TerminalError('the job is not valid'))
    const stalls = bullJob.stalledCounter
    const faults = bullJob.attemptsMade
    const exhausted = await this.#whyExhausted(id, start.attempt, stalls, faults)
    if (exhausted !== undefined) return giveUp(new TerminalError(exhausted))
    const cancelled = () =>
      unrunResult({
        id,
        job,
        status: 'cancelled',
        errorMessage: 'The job was cancelled',
        attempt: start.attempt,
        workerId,
      })
    if (flag != null || interruption(signal.reason) === 'cancelled') return publish(cancelled())

    observe({ type: 'taken', id, attempt: start.attempt, waitMs: Math.max(0, takenAt - enqueuedAt) })
    const { attempt } = start
    const live = job.stream ? new EventWriter({ redis, key: keys.events(id), attempt, observe }) : undefined
    const delivery: Delivery = { ...start, takenAt, job, stalls, faults, ...(live && { live }) }
    const outcome = await this.#handle(delivery, signal)
    live?.end()
    switch (interruption(signal.reason) ?? interruption(outcome.error)) {
      case 'lease-lost':
        // Whoever owns the job now answers for it; to complete or fail it here would be refused anyway.
        throw new WaitingError('the job belongs to another worker')
      case 'shutdown':
      case 'crowded':
        if (outcome.result === undefined || !isFinal(outcome.result)) return this.#handBack(bullJob, token)
        return publish(outcome.result)
      case 'cancelled':
        return publish(outcome.result ?? cancelled())
      case undefined:
        break
    }
    if (outcome.result !== undefined) return publish(outcome.result)
    // What the queue says is bounded too: not everything in it was written by our producer.
    const isLastTry = faults + 1 >= Math.min(bullJob.opts.attempts ?? 1, PLATFORM_TRIES)
    if (!(outcome.error instanceof RetryableError) || isLastTry) return giveUp(outcome.error)
    observe({ type: 'retried', id, error: outcome.error })
    throw outcome.error
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
      return unrunResult({ ...start, status: 'setup_error', errorMessage: cause.message, workerId })
    }
  }

  async #publish(outgoing: Outgoing, complete: Complete): Promise<Completion | undefined> {
    const { publisher, observe, letGo } = this.#parts
    const seen = { type: 'published', result: outgoing.result } as const
    const started = performance.now()
    const ms = () => performance.now() - started
    const failed = (error: Error) => {
      observe({ ...seen, outcome: 'failed', ms: ms() })
      observe({ type: 'error', error })
    }
    try {
      const published = await publisher.publishPatiently(outgoing, failed, letGo, complete)
      const { publication, completion } = published
      observe({ ...seen, outcome: publication, ms: ms() })
      if (publication === 'fenced') throw new WaitingError('a later start of the job took over')
      return completion
    } catch (error) {
      if (error instanceof WaitingError) throw error
      // Let go at shutdown: the lock runs out, and another worker runs the job again.
      throw new WaitingError('the result could not be published')
    }
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
    const back = Number(await redis.hget(keys.job(id), HANDED_BACK)) || 0
    if (attempt - faults - back <= MAX_STARTS) return undefined
    return `the job was started ${attempt - back} times and never came to an end`
  }

  async #handBack(bullJob: BullJob, token: string): Promise<never> {
    const { redis, keys } = this.#parts
    try {
      await redis.eval(HAND_BACK, 1, keys.job(String(bullJob.id)), String(bullJob.attemptsStarted))
      await bullJob.moveToWait(token)
      this.#parts.observe({ type: 'handedBack', id: String(bullJob.id) })
    } catch (thrown) {
      this.#parts.observe({ type: 'error', error: toError(thrown) })
    }
    throw new WaitingError('handed back to the queue')
  }
}

/** A worker that is told to stop may still have finished; anything that only says that it stopped is no result. */
function isFinal(result: Result): boolean {
  return result.status !== 'cancelled' && result.status !== 'setup_error'
}

function interruption(reason: unknown): JobInterrupted['cause'] | undefined {
  return reason instanceof JobInterrupted ? reason.cause : undefined
}
