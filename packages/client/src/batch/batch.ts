import { ConfigError } from '@isopod/protocol'
import { BatchConflictError, type BatchState, type Producer } from '@isopod/queue'
import pTimeout from 'p-timeout'
import type { LocatedJob } from '../supported-languages.ts'
import { deliver } from './deliver.ts'
import { Judge, type PendingSample } from './judge.ts'
import { type BatchOptions, type ResolvedBatchOptions, resolveBatchOptions } from './options.ts'
import { parseSample } from './parse-sample.ts'
import { countOf, type Progress, progressOf, Throttle } from './progress.ts'
import { Rate } from './rate.ts'
import { ResultStream } from './result-stream.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import type { Sample, SampleResult } from './sample.ts'
import { Slots } from './slots.ts'
import { Tally, type Totals } from './tally.ts'

/** The summary of a batch. As JSON, without `callback`, it is the body of a callback. */
export interface BatchSummary extends Totals {
  readonly id: string
  /** Whether the callback was delivered, by this run or an earlier one; absent without the option. */
  readonly callback?: 'delivered' | 'failed'
}

/**
 * A batch of samples to judge. It starts with the first `for await` or `summary()`.
 *
 * The iteration yields each sample once, when it has ended, with backpressure on `samples`; `summary()` alone only counts them.
 * Leaving the loop early has the effect of `signal`. A batch can be iterated once.
 */
export interface Batch extends AsyncIterable<SampleResult> {
  readonly id: string
  /** The progress so far. */
  progress(): Progress
  /**
   * Resolves when all samples have ended and the callback was delivered or given up.
   *
   * @throws {InvalidJobError} naming the invalid sample
   * @throws {BatchBusyError} if another producer works on the batch, or took it over
   * @throws {BatchConflictError} if the batch was started with other samples or another `stopWhen`
   * @throws {UnavailableError} if Redis is unavailable for a minute, or the client was closed; the batch can be resumed
   * @throws the signal's reason when it aborts, and errors of `samples`
   */
  summary(): Promise<BatchSummary>
}

/** The parts of a batch. */
export interface BatchParts {
  readonly producer: Producer
  /** Refuses languages that no worker offers. */
  readonly checkLanguages: (jobs: readonly LocatedJob[]) => Promise<void>
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal
  /** Called with the work of the batch when it starts; a closing client waits for it. */
  readonly onRun: (running: Promise<unknown>) => void
  /** The pause before the second attempt at a callback, for specs. */
  readonly callbackPauseMs?: number
}

/**
 * Creates a batch; it starts on first use.
 *
 * @throws {ConfigError} naming the option
 */
export function openBatch(parts: BatchParts, options: BatchOptions): Batch {
  return new QueueBatch(parts, resolveBatchOptions(options))
}

class QueueBatch implements Batch {
  readonly id: string
  readonly #parts: BatchParts
  readonly #options: ResolvedBatchOptions
  readonly #tally: Tally
  readonly #rate = new Rate(() => performance.now())
  readonly #throttle: Throttle
  readonly #stop = new AbortController()
  #stream: ResultStream<SampleResult> | undefined
  #running: Promise<BatchSummary> | undefined

  constructor(parts: BatchParts, options: ResolvedBatchOptions) {
    this.id = options.id
    this.#parts = parts
    this.#options = options
    this.#tally = new Tally(options.stopWhen)
    this.#throttle = new Throttle(() => options.onProgress?.(this.progress()))
  }

  progress(): Progress {
    const { total = countOf(this.#options.samples) } = this.#options
    return progressOf(this.#tally, this.#rate, total)
  }

  summary(): Promise<BatchSummary> {
    if (this.#running === undefined) {
      this.#running = this.#run()
      this.#parts.onRun(this.#running)
    }
    return this.#running
  }

  [Symbol.asyncIterator](): AsyncIterator<SampleResult> {
    if (this.#running !== undefined)
      throw new Error('a batch can be iterated once, before its summary is asked for')
    const left = new Error('the loop over the batch was left before its end')
    this.#stream = new ResultStream(() => this.#stop.abort(left))
    // The iteration reports the error.
    this.summary().catch(() => {})
    return this.#stream
  }

  async #run(): Promise<BatchSummary> {
    const { producer, closing } = this.#parts
    const { id, stopWhen: rules, stateTtlSeconds: ttlSeconds, signal } = this.#options
    const ended = AbortSignal.any([this.#stop.signal, closing, ...(signal ? [signal] : [])])
    try {
      ended.throwIfAborted()
      const state = await producer.takeBatch({ id, rules, ttlSeconds, signal: ended })
      try {
        const totals = await this.#judgeAll(state, AbortSignal.any([ended, state.lost]))
        this.#stream?.end()
        return { id, ...totals, ...(await this.#deliver({ id, ...totals }, state, ended)) }
      } finally {
        await state.release().catch(() => {})
      }
    } catch (error) {
      this.#stream?.end({ error })
      throw error
    } finally {
      this.#throttle.end()
    }
  }

  async #judgeAll(state: BatchState, signal: AbortSignal): Promise<Totals> {
    const { isNamed, samples, inFlight, k } = this.#options
    const judge = new Judge({ ...this.#parts, options: this.#options, state, tally: this.#tally, signal })
    const slots = new Slots(inFlight)
    const underWay = new Set<Promise<void>>()
    const seen = new Set<string>()
    const source = iterate(samples)
    try {
      for (;;) {
        const done = await unlessAborted(slots.take(), signal)
        const next = await unlessAborted(source.next(), signal)
        if (next.done) break
        const pending = await this.#enter(next.value, seen, state, signal)
        const task = this.#settle(judge, pending, signal)
          .catch((error) => this.#stop.abort(error))
          .finally(() => {
            underWay.delete(task)
            done()
          })
        underWay.add(task)
      }
      await Promise.all(underWay)
      signal.throwIfAborted()
      await this.#checkComplete(seen, state, signal)
      return this.#tally.totals(k)
    } catch (error) {
      this.#stop.abort(error)
      // Not awaited: the source may never settle.
      close(source).catch(() => {})
      await Promise.all(underWay)
      if (!isNamed) await judge.cancelAll()
      throw signal.reason
    }
  }

  /** Checks a sample and reads its record. One at a time, because a recorded outcome can skip later samples. */
  async #enter(
    given: Sample,
    seen: Set<string>,
    state: BatchState,
    signal: AbortSignal,
  ): Promise<PendingSample> {
    const sample = parseSample(given, this.id)
    const where = `samples[${JSON.stringify(sample.id)}]`
    if (seen.has(sample.id)) throw new ConfigError(`${where}.id: must be unique in the batch, got it twice`)
    seen.add(sample.id)
    const { job } = sample
    if (!('refusal' in job)) {
      const located = [{ job, where: `${where}.job.` }]
      await retryWhileUnavailable(() => this.#parts.checkLanguages(located), signal)
    }
    const record =
      state.known === 0 ? undefined : await retryWhileUnavailable(() => state.read(sample.id), signal)
    return { sample, place: this.#tally.problem(sample.problem).enter(), record }
  }

  async #settle(judge: Judge, pending: PendingSample, signal: AbortSignal): Promise<void> {
    const result = await judge.judge(pending)
    this.#tally.add(pending.place, result)
    judge.cancelSkippable(result.problem)
    if (!result.resumed) this.#rate.add()
    this.#throttle.note()
    // The iterating program may never take the result.
    if (this.#stream) await unlessAborted(this.#stream.give(await judge.complete(result)), signal)
  }

  /** Refuses to summarize fewer samples than the batch has on record. */
  async #checkComplete(seen: ReadonlySet<string>, state: BatchState, signal: AbortSignal): Promise<void> {
    if (state.known === 0) return
    const known = await retryWhileUnavailable(() => state.samples(), signal)
    const [first, ...others] = known.filter((id) => !seen.has(id))
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    throw new BatchConflictError(
      `samples: must include all samples of the batch ${this.id}, but lacks ${JSON.stringify(first)}${more}; add them, or use another id`,
    )
  }

  async #deliver(
    summary: BatchSummary,
    state: BatchState,
    signal: AbortSignal,
  ): Promise<{ callback?: 'delivered' | 'failed' }> {
    const { callback } = this.#options
    if (callback === undefined) return {}
    if (state.delivered) return { callback: 'delivered' }
    const isDelivered = await deliver(callback, JSON.stringify(summary), signal, this.#parts.callbackPauseMs)
    if (!isDelivered) return { callback: 'failed' }
    await retryWhileUnavailable(() => state.noteDelivered(), signal)
    return { callback: 'delivered' }
  }
}

function iterate<T>(samples: Iterable<T> | AsyncIterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in samples ? samples[Symbol.asyncIterator]() : samples[Symbol.iterator]()
}

async function close(source: AsyncIterator<unknown> | Iterator<unknown>): Promise<void> {
  await source.return?.()
}

/** Waits for a promise until the signal aborts. */
async function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return await pTimeout(Promise.resolve(promise), { milliseconds: Number.POSITIVE_INFINITY, signal })
}
