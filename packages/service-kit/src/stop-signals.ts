/** Signals with which a person or a service manager ends a service. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Ends the process in order when it is told to: calls `stop`, then exits with 0, or with 1 if a step of it failed.
 *
 * @param stop must be idempotent: an impatient operator sends the signal again. Resolves with whether all went well.
 */
export function onStopSignal(stop: (signal: string) => Promise<boolean>): void {
  for (const signal of STOP_SIGNALS) {
    process.on(signal, async () => process.exit((await stop(signal)) ? 0 : 1))
  }
}
