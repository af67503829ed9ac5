import type { Result } from '@isopod/protocol'
import type { Job as BullJob } from 'bullmq'
import type { Redis } from 'ioredis'
import { toError } from '../errors.ts'
import { waitingDuplicate } from '../redis/connect-redis.ts'
import { type Keys, resultsQueue } from '../redis/keys.ts'
import { QueueWorker } from '../redis/queue-worker.ts'
import { parseResult } from './read-result.ts'

/** Pauses before a handler gets a result again that it rejected, in milliseconds. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000
/** How long a result stays with a consumer that does not renew its lock, in milliseconds. */
const LOCK_MS = 10_000
const STALLED_INTERVAL_MS = 3000

/** How a results queue is consumed. */
export interface ResultsConsumerOptions {
  /** Maximum number of concurrent handlers. @default 10 */
  readonly concurrency?: number | undefined
  /** Receives each error of the handler and of Redis; both are retried. */
  readonly onError?: ((error: Error) => void) | undefined
}

/** A running consumer of a results queue. */
export interface ResultsConsumer {
  /** Stops taking results and waits for running handlers. A second call gets the same promise. */
  close(): Promise<void>
}

/**
 * Consumes a results queue durably: a result is acknowledged only after the handler has resolved. A handler that rejects gets the
 * same result again, after pauses from 0.25 s to 30 s, until it resolves; another consumer gets it if this process dies. A handler
 * may therefore see a result twice, and never misses one.
 */
export function consumeResults(
  redis: Redis,
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
  const process = async (job: BullJob) => {
    try {
      await handler(parseResult(job.data))
    } catch (thrown) {
      const error = toError(thrown)
      report(error)
      const delay = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(job.attemptsMade, 16), MAX_PAUSE_MS)
      job.opts.backoff = { type: 'fixed', delay, jitter: 0.2 }
      throw error
    }
  }
  const results = new QueueWorker(resultsQueue(replyTo), process, {
    connection,
    prefix: keys.tag,
    concurrency: options.concurrency ?? 10,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_INTERVAL_MS,
    onError: report,
  })
  let closing: Promise<void> | undefined
  results.run().catch((thrown: unknown) => {
    if (closing === undefined) report(toError(thrown))
  })
  return {
    close() {
      closing ??= results.close().finally(() => connection.disconnect())
      return closing
    },
  }
}
