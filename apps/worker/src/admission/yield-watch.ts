import type { Waiter } from './admission.ts'

/** Maximum wait of a job for another tenant's exclusive run, in milliseconds, however long its own timeout is. */
export const MAX_FOREIGN_WAIT_MS = 3_000
const INTERVAL_MS = 100

/** Whether a job of another tenant has waited longer than its own timeout, or {@link MAX_FOREIGN_WAIT_MS}. */
export function mustYield(tenant: string, waiting: Iterable<Waiter>, now: number): boolean {
  for (const waiter of waiting) {
    if (waiter.tenant === tenant) continue
    if (now - waiter.since > Math.min(waiter.timeoutMs, MAX_FOREIGN_WAIT_MS)) return true
  }
  return false
}

/** Options of the watch. */
export interface YieldWatchOptions {
  /** Tenant of the exclusive run. */
  readonly tenant: string
  readonly waiting: () => Iterable<Waiter>
  readonly now: () => number
  /** Called once. */
  readonly onYield: () => void
}

/** Calls back as soon as an exclusive run must yield. @returns ends the watch */
export function watchForYield({ tenant, waiting, now, onYield }: YieldWatchOptions): () => void {
  const look = () => {
    if (!mustYield(tenant, waiting(), now())) return
    stop()
    onYield()
  }
  const interval = setInterval(look, INTERVAL_MS)
  const stop = () => clearInterval(interval)
  look()
  return stop
}
