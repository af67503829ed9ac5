import { type Result, RetryableError, TerminalError } from '@isopod/protocol'
import { type Job as BullJob, DelayedError, WaitingError } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Observe } from '../consumer-events.ts'
import { JobDeferred, JobInterrupted, toError } from '../errors.ts'
import { EventWriter } from '../live/event-writer.ts'
import type { Keys } from '../redis/keys.ts'
import { PLATFORM_TRIES } from '../redis/queue-options.ts'
import type { RedisClock } from '../redis/redis-clock.ts'
import { isSafeId } from '../redis/safe-id.ts'
import type { Postponement, TenantGate } from '../tenants/tenant-gate.ts'
import { countRequeue } from './count-requeue.ts'
import { Deferrals } from './deferral.ts'
import type { Delivery, GiveUp, Handle } from './delivery.ts'
import { whyExhausted } from './exhausted-starts.ts'
import { isNewJobId } from './job-id.ts'
import type { Outgoing, Publisher } from './publisher.ts'
import { expiryMessage, isExpired } from './queue-deadlines.ts'
import type { RunningJobs } from './running-jobs.ts'
import type { StartNotes } from './start-notes.ts'
import { PROGRESS, parseData } from './stored-job.ts'
import { unexecutedJobResult } from './unexecuted-result.ts'

/** For a job that BullMQ made anew from its id alone. */
const DATA_GONE = 'the data of the job is gone: another program removed or replaced it in Redis'

/** The parts of a processor. */
export interface ProcessorParts {
  readonly redis: Redis
  readonly clock: RedisClock
  readonly keys: Keys
  readonly publisher: Publisher
  readonly running: RunningJobs
  readonly tenants: TenantGate
  readonly notes: StartNotes
  readonly workerId: string
  readonly handle: Handle
  readonly giveUp: GiveUp
  readonly observe: Observe
  /** Called with the time that each job took that ran. */
  readonly onRun: (seconds: number) => void
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
 * Processes one job on a worker: checks whether its result is already published, runs it, publishes the result, and only then
 * completes the job. BullMQ never fails a job by itself: each path publishes a result, asks for a retry, or leaves the job to
 * other workers.
 */
export class Processor {
  readonly #parts: ProcessorParts
  readonly #deferrals: Deferrals

  constructor(parts: ProcessorParts) {
    this.#parts = parts
    this.#deferrals = new Deferrals(parts.redis, parts.keys)
  }

  /**
   * Processes one job, as BullMQ's processor. Resolving completes the job.
   *
   * @throws {WaitingError} if the job was requeued, or is left to another worker
   * @throws {DelayedError} if the job was deferred
   * @throws {RetryableError} to retry the job after a pause
   */
  async process(bullJob: BullJob, token: string): Promise<void> {
    const { observe, running, tenants, isStopping } = this.#parts
    const { id } = bullJob
    // The stored result is the record, whatever the producer asked for.
    bullJob.opts.removeOnComplete = true
    if (!isSafeId(id)) {
      // The id could not be used to ask for a result.
      observe({ type: 'error', error: new TerminalError('dropped a job with an invalid id') })
      return
    }
    if (isStopping()) return this.#requeue(bullJob, token)
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
      // Not waited for: an entry that cannot be removed expires.
      tenants.release(id).catch((thrown: unknown) => observe({ type: 'error', error: toError(thrown) }))
    }
  }

  async #run({ bullJob, id, token, signal }: Taken): Promise<void> {
    const { redis, clock, keys, observe, tenants, workerId } = this.#parts
    // An id that the producer chose may have been used before. Only a string is a result: publishing replaces any other type.
    const hasResult = !isNewJobId(id) && (await redis.type(keys.result(id))) === 'string'
    if (hasResult || bullJob.progress === PROGRESS.published) {
      observe({ type: 'alreadyPublished', id })
      return
    }
    const { job, replyTo, refusal } = parseData(bullJob.data)
    const takenAt = clock.now()
    // A raw id in the queue may have no hash, and thus no timestamp.
    const enqueuedAt = Number.isFinite(bullJob.timestamp) ? bullJob.timestamp : takenAt
    const attempt = bullJob.attemptsStarted
    const start = { id, attempt, enqueuedAt }
    const publish = (result: Result) =>
      this.#publish({ result, attempt, replyTo, callbackUrl: job?.callbackUrl })
    const giveUp = (cause: Error) =>
      publish(this.#giveUp(job === undefined ? start : { ...start, job }, cause))

    if (bullJob.name === undefined) return giveUp(new TerminalError(DATA_GONE))
    if (job === undefined) return giveUp(refusal ?? new TerminalError('the job is not valid'))
    const stalls = bullJob.stalledCounter
    const faults = bullJob.attemptsMade
    const exhausted = await whyExhausted(this.#parts, { id, attempt, stalls, faults })
    if (exhausted !== undefined) return giveUp(new TerminalError(exhausted))
    const cancelled = () =>
      unexecutedJobResult({
        ...{ id, job, attempt, workerId },
        status: 'cancelled',
        errorMessage: 'The job was cancelled',
      })
    const isCancelled = bullJob.progress === PROGRESS.cancelled || interruption(signal.reason) === 'cancelled'
    if (isCancelled) return publish(cancelled())
    if (attempt === 1 && isExpired(job, takenAt - enqueuedAt)) {
      return publish({ ...cancelled(), errorMessage: expiryMessage(job.expiresInSeconds ?? 0) })
    }

    const postponed = await tenants.admit({ id, job, turn: Number(bullJob.priority) || 0, enqueuedAt })
    if (postponed !== undefined) return this.#postpone(bullJob, token, postponed)
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
    if (result !== undefined) {
      this.#parts.onRun((clock.now() - takenAt) / 1000)
      return publish(result)
    }
    if (error instanceof JobDeferred) {
      if (await this.#deferrals.isExhausted(id, error)) {
        return giveUp(new TerminalError(error.message, { cause: error }))
      }
      observe({ type: 'deferred', id, error })
      return this.#defer(bullJob, token, error.delayMs)
    }
    // The job's own number of attempts is bounded: other programs write to the queue, too.
    const isLastTry = faults + 1 >= Math.min(bullJob.opts.attempts ?? 1, PLATFORM_TRIES)
    if (!(error instanceof RetryableError) || isLastTry) return giveUp(error)
    observe({ type: 'retried', id, error })
    await hadItsTurn(bullJob)
    throw error
  }

  async #handle(
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<{ result: Result; error?: never } | { result?: never; error: Error }> {
    const removeNote = this.#parts.notes.begin(delivery.id, delivery.attempt)
    try {
      return { result: await this.#parts.handle(delivery, signal) }
    } catch (thrown) {
      return { error: toError(thrown) }
    } finally {
      removeNote()
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

  /** Puts a job that did not run to its end in front of the queue. */
  async #requeue(bullJob: BullJob, token: string): Promise<never> {
    const { observe } = this.#parts
    try {
      await Promise.all([this.#countRequeue(bullJob), hadItsTurn(bullJob)])
      await bullJob.moveToWait(token)
      observe({ type: 'requeued', id: String(bullJob.id) })
    } catch (thrown) {
      observe({ type: 'error', error: toError(thrown) })
    }
    throw new WaitingError('requeued')
  }

  /** Puts a job back into the queue, to be taken again after a delay. */
  async #defer(bullJob: BullJob, token: string, delayMs: number): Promise<never> {
    await Promise.all([this.#countRequeue(bullJob), hadItsTurn(bullJob)])
    await bullJob.moveToDelayed(this.#parts.clock.now() + delayMs, token)
    throw new DelayedError()
  }

  /** Puts a job back that must not run in this turn. */
  async #postpone(bullJob: BullJob, token: string, postponed: Postponement): Promise<never> {
    if (postponed.kind === 'parked') return this.#defer(bullJob, token, postponed.delayMs)
    await Promise.all([this.#countRequeue(bullJob), bullJob.changePriority({ priority: postponed.turn })])
    await bullJob.moveToWait(token)
    throw new WaitingError('a more urgent job of the tenant has the turn')
  }

  async #countRequeue({ id }: BullJob): Promise<void> {
    const { redis, keys } = this.#parts
    await countRequeue(redis, keys, String(id))
  }
}

/** A job that comes back goes before all that have not had their turn. */
async function hadItsTurn(bullJob: BullJob): Promise<void> {
  if (bullJob.priority > 0) await bullJob.changePriority({ priority: 0 })
}

/** Whether a result of an interrupted job is more than a report that it was interrupted. */
function isFinal(result: Result): boolean {
  return result.status !== 'cancelled' && result.status !== 'setup_error'
}

function interruption(reason: unknown): JobInterrupted['cause'] | undefined {
  return reason instanceof JobInterrupted ? reason.cause : undefined
}
