import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Repeats a task until the signal aborts, one turn at a time. A turn that fails is reported, and the next one tries again.
 * Does not keep the process alive.
 *
 * @param ms pause before each turn
 */
export async function repeat(
  ms: number,
  task: () => Promise<unknown>,
  until: AbortSignal,
  report: (thrown: unknown) => void,
): Promise<void> {
  while (await sleep(ms, true, { signal: until, ref: false }).catch(() => false)) {
    await task().catch((thrown: unknown) => {
      if (!until.aborted) report(thrown)
    })
  }
}
