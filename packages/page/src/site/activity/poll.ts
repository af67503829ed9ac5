import { Refused } from '../parts/api.ts'

/** How often the page asks again while it is visible, in milliseconds. */
const INTERVAL_MS = 2000
/** How long it waits at most after failures. */
const MAX_INTERVAL_MS = 30_000

/** Asks again and again while the page is visible. */
export interface Poll {
  /** Asks at once, and then goes on. */
  now(): void
}

/** @param ask what to ask; when it fails, the next time comes later, or when the gateway has said so */
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
    // One that is under way may have asked too early.
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
