import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '@isopod/protocol'
import { QueueFullError, StorageFullError, TenantQueueFullError } from '@isopod/queue'

/** How long a batch waits while Redis is unavailable or full, in milliseconds; then it ends, and can be resumed. */
const TIMEOUT_MS = 60_000
const PAUSE_MS = 500

/**
 * Repeats an idempotent call while Redis is unavailable or full, and while the queue is full or the tenant has too many waiting jobs.
 * Not p-retry, which discards the result of a call that ends after an abort.
 *
 * @throws {UnavailableError} or {@link StorageFullError} after a minute
 * @throws the signal's reason when it aborts
 */
export async function retryWhileUnavailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    try {
      return await call()
    } catch (error) {
      signal.throwIfAborted()
      const isOut = error instanceof UnavailableError || error instanceof StorageFullError
      const isDown = isOut && performance.now() <= deadline
      const isFull = error instanceof QueueFullError || error instanceof TenantQueueFullError
      if (!isDown && !isFull) throw error
      const pauseMs = error instanceof QueueFullError ? error.retryAfterSeconds * 1000 : PAUSE_MS
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
