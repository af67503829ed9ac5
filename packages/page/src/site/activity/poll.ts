import { Refused } from '../parts/api.ts'

/** Interval of polls while the page is visible, in milliseconds. */
const INTERVAL_MS = 2000
/** Maximum interval after failures. */
const MAX_INTERVAL_MS = 30_000

/** Polls the gateway while the page is visible. */
export interface Poll {
  /** Polls now and restarts the interval. */
  now(): void
}

/** @param ask makes one request; after a failure the interval grows, or follows the gateway's `Retry-After` */
export function startPoll(ask: () => Promise<void>, onError: (error: unknown) => void): Poll {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let isWanted = false
  let failures = 0

  const next = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(now, ms)
  }
  function now(): void {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') return
    // A running request may have been sent before the change.
    isWanted = isAsking
    if (isAsking) return
    isAsking = true
    ask()
      .then(
        () => {
          failures = 0
          next(isWanted ? 0 : INTERVAL_MS)
        },
        (error: unknown) => {
          failures++
          const seconds = error instanceof Refused ? error.retryAfterSeconds : undefined
          next(
            seconds === undefined ? Math.min(MAX_INTERVAL_MS, INTERVAL_MS * 2 ** failures) : seconds * 1000,
          )
          onError(error)
        },
      )
      .finally(() => {
        isAsking = false
      })
  }
  document.addEventListener('visibilitychange', now)
  now()
  return { now }
}
