import type { Logger } from '@isopod/telemetry'
import pTimeout from 'p-timeout'

/** One step of a shutdown. */
export interface ShutdownStep {
  readonly name: string
  readonly run: () => Promise<unknown> | unknown
}

/**
 * Runs all steps in order under one deadline. A step that fails or hangs does not prevent the next ones.
 *
 * @returns whether all steps succeeded
 */
export async function shutDown(
  steps: readonly ShutdownStep[],
  deadlineMs: number,
  logger: Logger,
): Promise<boolean> {
  const until = Date.now() + deadlineMs
  let clean = true
  for (const { name, run } of steps) {
    try {
      const milliseconds = Math.max(100, until - Date.now())
      await pTimeout(Promise.resolve(run()), { milliseconds, message: `took longer than ${milliseconds} ms` })
    } catch (error) {
      clean = false
      logger.error({ err: error, step: name }, 'shutdown step failed')
    }
  }
  return clean
}
