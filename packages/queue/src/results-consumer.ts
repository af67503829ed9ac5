import type { Result } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import { acknowledging } from './acknowledge.ts'
import { patientDuplicate } from './connect-redis.ts'
import { CompletingWorker, endWorker } from './end-worker.ts'
import { toError } from './errors.ts'
import { type Keys, resultsQueue } from './keys.ts'
import { guardScripts, healing } from './quarantine.ts'
import { parseResult } from './read-result.ts'

const LONGEST_PAUSE_MS = 30_000
/** How long a result belongs to a consumer that has gone silent, in milliseconds. */
const LOCK_MS = 10_000

/** How a results queue is consumed. */
export interface ResultsOptions {
  /** Results at once. @default 10 */
  readonly concurrency?: number | undefined
  /** Told of each error that the handler throws and of trouble with Redis; both are followed by another try. */
  readonly onError?: ((error: Error) => void) | undefined
}

/** A running consumer of a results queue. */
export interface ResultsConsumer {
  /** Stops taking results and waits for handlers that run. A second call gets the same promise. */
  close(): Promise<void>
}

/**
 * Consumes a results queue durably: a result is acknowledged only after the handler has resolved. A handler that rejects
 * gets the same result again, after pauses from 0.25 s up to 30 s, for as long as it takes; so does another consumer if
 * this process dies. A handler may therefore see a result twice, and never misses one.
 */
export function consumeResults(
  redis: Redis,
  keys: Keys,
  replyTo: string,
  handler: (result: Result) => Promise<void>,
  options: ResultsOptions,
): ResultsConsumer {
  const connection = patientDuplicate(redis)
  const report = (error: Error) => {
    try {
      options.onError?.(error)
    } catch {
      // A broken reporter must not cost a result.
    }
  }
  let running = 0
  let closing: Promise<void> | undefined
  const acknowledge = acknowledging(connection, keys, replyTo, LOCK_MS)
  const worker: CompletingWorker = new CompletingWorker(
    resultsQueue(replyTo),
    async (job, token = '') => {
      running += 1
      try {
        await handler(parseResult(job.data))
        return await acknowledge({ id: job.id ?? '', token, goesOn: worker.goesOn(running) })
      } catch (thrown) {
        const error = toError(thrown)
        report(error)
        job.opts.backoff = { type: 'fixed', delay: pauseAfter(job.attemptsMade), jitter: 0.2 }
        throw error
      } finally {
        running -= 1
      }
    },
    {
      connection,
      prefix: keys.tag,
      autorun: false,
      concurrency: options.concurrency ?? 10,
      // A result whose delivery was cut off by a broken connection comes again after these have run out.
      lockDuration: LOCK_MS,
      stalledInterval: 3000,
      // A result is never given up, however often a consumer died with it.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: 1000,
    },
  )
  const heal = healing(connection, `${keys.tag}:${resultsQueue(replyTo)}:`)
  worker.on('error', (error) => {
    report(error)
    heal(error)
  })
  const run = async () => {
    // Only then has BullMQ registered the scripts that are to be guarded.
    await worker.waitUntilReady()
    guardScripts(connection)
    await worker.run()
  }
  run().catch((thrown: unknown) => {
    if (closing === undefined) report(toError(thrown))
  })
  const close = async () => {
    await endWorker(worker, { isUp: () => connection.status === 'ready', isBusy: () => running > 0 })
    connection.disconnect()
  }
  return {
    close() {
      closing ??= close()
      return closing
    },
  }
}

function pauseAfter(attemptsMade: number): number {
  return Math.min(250 * 2 ** Math.min(attemptsMade, 16), LONGEST_PAUSE_MS)
}
