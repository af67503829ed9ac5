import { type Result, TerminalError } from '@isopod/protocol'
import { type Job as BullJob, UnrecoverableError } from 'bullmq'
import { toError } from '../errors.ts'
import { ADMIT_WRITES } from '../redis/at-limit.ts'
import { type CheckedRedis, waitingDuplicate } from '../redis/connect-redis.ts'
import { interval } from '../redis/interval.ts'
import { type Keys, resultJobId, resultsQueue } from '../redis/keys.ts'
import { QueueWorker } from '../redis/queue-worker.ts'
import { isSafeId } from '../redis/safe-id.ts'
import { wholeResult } from './large-outputs.ts'
import { parseResult, readResult } from './read-result.ts'

/** Pauses before a handler gets a result again that it rejected, in milliseconds. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000
/** See {@link ResultsConsumerOptions.maxDeliveries}: about 50 minutes. */
const DEFAULT_MAX_DELIVERIES = 100
/** Maximum number of dead results that a queue keeps; the oldest are dropped first. */
const MAX_DEAD = 1000
/** How long a result stays with a consumer that does not renew its lock, in milliseconds. */
const LOCK_MS = 10_000
const STALLED_INTERVAL_MS = 3000
/** How often a consumer notes that its queue is in use, in milliseconds. */
const NOTE_USE_MS = 60_000

/** Notes that a results queue is in use. KEYS: names of results queues. ARGV: the queue's name. */
const NOTE_USE = `
${ADMIT_WRITES}
redis.call('ZADD', KEYS[1], redis.call('TIME')[1] * 1000, ARGV[1])
`

/** How a results queue is consumed. */
export interface ResultsConsumerOptions {
  /** Maximum number of concurrent handlers. @default 10 */
  readonly concurrency?: number | undefined
  /**
   * Maximum number of deliveries of a result, also of those whose consumer died. Then it goes to the dead results, where `isopod
   * results dead` shows it and `isopod results redeliver` delivers it again.
   * @default 100, about 50 minutes
   */
  readonly maxDeliveries?: number | undefined
  /** Receives each error of the handler and of Redis, and of a result that goes to the dead ones; the others are retried. */
  readonly onError?: ((error: Error) => void) | undefined
}

/** A running consumer of a results queue. */
export interface ResultsConsumer {
  /** Stops taking results and waits for running handlers. A second call gets the same promise. */
  close(): Promise<void>
}

/**
 * Consumes a results queue durably: a result is acknowledged only after the handler has resolved. A handler that rejects gets the
 * same result again, after pauses from 0.25 s to 30 s, until it resolves or `maxDeliveries` are over; another consumer gets it if
 * this process dies. A handler may therefore see a result twice, and never misses one. While the clock of this host is wrong, no
 * result is taken.
 */
export function consumeResults(
  { redis, clock }: Omit<CheckedRedis, 'shownUrl'>,
  keys: Keys,
  replyTo: string,
  handler: (result: Result) => Promise<void>,
  options: ResultsConsumerOptions,
): ResultsConsumer {
  const connection = waitingDuplicate(redis)
  const report = (error: Error) => {
    try {
      options.onError?.(error)
    } catch {
      // An error of the listener must not cost a result.
    }
  }
  const { maxDeliveries = DEFAULT_MAX_DELIVERIES } = options
  /** Moves a result to the dead ones, as BullMQ's processor does: by this error. */
  const bury = (job: BullJob, reason: string) => {
    job.opts.removeOnFail = { count: MAX_DEAD }
    report(new TerminalError(`a result was delivered ${maxDeliveries} times and is dead now: ${job.id}`))
    return new UnrecoverableError(reason)
  }
  /** The result of an entry; the stored one if another program damaged the entry. */
  const resultOf = async (job: BullJob) => {
    try {
      return parseResult(job.data)
    } catch (error) {
      const id = String(job.id).slice(resultJobId('').length)
      const stored = isSafeId(id) ? await readResult(redis, keys, id) : undefined
      if (stored === undefined) throw error
      return stored
    }
  }
  const process = async (job: BullJob) => {
    if (job.attemptsStarted > maxDeliveries) throw bury(job, job.failedReason || 'its consumers died')
    try {
      await handler(await wholeResult((ask) => ask(redis), keys, await resultOf(job)))
    } catch (thrown) {
      const error = toError(thrown)
      report(error)
      if (job.attemptsStarted >= maxDeliveries) throw bury(job, error.message)
      const delay = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(job.attemptsMade, 16), MAX_PAUSE_MS)
      job.opts.backoff = { type: 'fixed', delay, jitter: 0.2 }
      throw error
    }
  }
  const results = new QueueWorker(resultsQueue(replyTo), process, {
    connection,
    clock,
    prefix: keys.tag,
    concurrency: options.concurrency ?? 10,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_INTERVAL_MS,
    onError: report,
  })
  const closed = new AbortController()
  // Otherwise no worker would know of a queue that never had a result, and its keys would stay.
  const noteUse = () => connection.eval(NOTE_USE, 1, keys.replyQueues, replyTo)
  noteUse().catch(() => {})
  void interval(NOTE_USE_MS, noteUse, closed.signal, () => {})
  let closing: Promise<void> | undefined
  results.run().catch((thrown: unknown) => {
    if (closing === undefined) report(toError(thrown))
  })
  return {
    close() {
      closed.abort()
      closing ??= results.close().finally(() => connection.disconnect())
      return closing
    },
  }
}
