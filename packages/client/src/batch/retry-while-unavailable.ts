import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '@isopod/protocol'

/** How long a batch waits while Redis is away, in milliseconds; then it ends, and can be resumed. */
const TIMEOUT_MS = 60_000
const PAUSE_MS = 500

/**
 * Repeats an idempotent call while Redis is away. Not p-retry, which discards the result of a call that ends after an abort.
 *
 * @throws {UnavailableError} after a minute
 * @throws the signal's reason when it aborts
 */
export async function retryWhileUnavailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    try {
      return await call()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof UnavailableError) || performance.now() > deadline) throw error
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
