import { ConfigError } from '@isopod/protocol'
import { BatchConflictError, type BatchState, type Producer } from '@isopod/queue'
import type { LocatedJob } from '../supported-languages.ts'
import { deliver } from './deliver.ts'
import { Judge, type Turn } from './judge.ts'
import { type BatchOptions, type ResolvedBatchOptions, resolveBatchOptions } from './options.ts'
import { parseSample } from './parse-sample.ts'
import { countOf, type Progress, progressOf, Throttle } from './progress.ts'
import { Rate } from './rate.ts'
import { ResultStream } from './result-stream.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import type { Sample, SampleResult } from './sample.ts'
import { Slots } from './slots.ts'
import { Tally, type Totals } from './tally.ts'

/** What a batch came to. As JSON, without `callback`, it is what a callback carries. */
export interface BatchSummary extends Totals {
  readonly id: string
  /** Whether the callback was delivered, by this run or an earlier one; absent if none was asked for. */
  readonly callback?: 'delivered' | 'failed'
}

/**
 * Many samples on their way to their verdicts. It starts with the first `for await` or `summary()`.
 *
 * Whoever iterates gets each sample once, as it comes to its end, and no more are pulled than are taken; with `summary()` alone
 * they are only counted. Leaving the loop early ends the work as `signal` does. It can be iterated once.
 */
export interface Batch extends AsyncIterable<SampleResult> {
  readonly id: string
  /** How far it is. */
  progress(): Progress
  /**
   * Resolves when all samples have come to their end and the callback was delivered or given up.
   *
   * @throws {InvalidJobError} naming the sample that is not valid
   * @throws {BatchBusyError} if another producer works on the batch, or took it over
   * @throws {BatchConflictError} if the batch is known with other samples, or was started with another `stopWhen`
   * @throws {UnavailableError} if Redis is away for a minute, or the client was closed; the batch can be gone on with
   * @throws the signal's reason when it aborts, and what `samples` throws
   */
  summary(): Promise<BatchSummary>
}

/** What a batch works with. */
export interface BatchParts {
  readonly producer: Producer
  /** Refuses languages that no worker offers. */
  readonly checkLanguages: (jobs: readonly LocatedJob[]) => Promise<void>
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal
  /** Told of the work on the batch, which is over soon after that. */
  readonly onRun: (running: Promise<unknown>) => void
}

/**
 * Makes a batch, which does nothing yet.
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
    // Who iterates meets what goes wrong there.
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
        const turn = await this.#enter(next.value, seen, state, signal)
        const task = this.#settle(judge, turn, signal)
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
      // Not waited for: it may be waiting for something itself.
      close(source).catch(() => {})
      await Promise.all(underWay)
      if (!isNamed) await judge.endAll()
      throw signal.reason
    }
  }

  /** Checks a sample that was pulled, and looks what is known of it: in their order, as what is known can end others. */
  async #enter(given: Sample, seen: Set<string>, state: BatchState, signal: AbortSignal): Promise<Turn> {
    const sample = parseSample(given, this.id)
    const where = `samples[${JSON.stringify(sample.id)}]`
    if (seen.has(sample.id))
      throw new ConfigError(`${where}.id: must be unique in the batch, was given twice`)
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

  async #settle(judge: Judge, turn: Turn, signal: AbortSignal): Promise<void> {
    const result = await judge.judge(turn)
    this.#tally.add(turn.place, result)
    judge.endNeedless(result.problem)
    if (!result.resumed) this.#rate.add()
    this.#throttle.note()
    // Whoever iterates may have turned to something else for good.
    if (this.#stream) await unlessAborted(this.#stream.give(result), signal)
  }

  /** A summary of fewer samples than the batch has would pass for that of all. */
  async #checkComplete(seen: ReadonlySet<string>, state: BatchState, signal: AbortSignal): Promise<void> {
    if (state.known === 0) return
    const known = await retryWhileUnavailable(() => state.samples(), signal)
    const [first, ...others] = known.filter((id) => !seen.has(id))
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    throw new BatchConflictError(
      `samples: the batch ${this.id} has had ${JSON.stringify(first)}${more}, which were not given now; give them too, or use another id`,
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
    if (!(await deliver(callback, JSON.stringify(summary), signal))) return { callback: 'failed' }
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

/** Waits for a promise, but not for longer than until the signal aborts. */
async function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    // Also when it is aborted already: somebody has to hear of it should the promise reject.
    return await Promise.race([aborted, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
