import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '@isopod/protocol'

/** How long a batch waits for a Redis that is away, in milliseconds; then it ends, and can be gone on with. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 500

/**
 * Repeats a call that does no harm when it is made twice, as long as Redis is away.
 *
 * @throws {UnavailableError} after a minute
 * @throws the signal's reason when it aborts
 */
export async function throughOutage<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
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
