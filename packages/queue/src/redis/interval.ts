import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs a task after each pause until the signal aborts. A failure is reported; the next run tries again. Does not keep the
 * process alive.
 */
export async function interval(
  pauseMs: number,
  task: () => Promise<unknown>,
  signal: AbortSignal,
  report: (thrown: unknown) => void,
): Promise<void> {
  while (await sleep(pauseMs, true, { signal, ref: false }).catch(() => false)) {
    await task().catch((thrown: unknown) => {
      if (!signal.aborted) report(thrown)
    })
  }
}
