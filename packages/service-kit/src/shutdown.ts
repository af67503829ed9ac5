import type { Logger } from '@isopod/telemetry'

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
      await within(Math.max(100, until - Date.now()), run)
    } catch (error) {
      clean = false
      logger.error({ err: error, step: name }, 'shutdown step failed')
    }
  }
  return clean
}

async function within(ms: number, run: ShutdownStep['run']): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms)
  })
  try {
    await Promise.race([run(), late])
  } finally {
    clearTimeout(timer)
  }
}
