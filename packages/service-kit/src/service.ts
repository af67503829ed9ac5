import { publicMessageOf } from '@isopod/protocol'
import { createLogger, type Logger, type LoggerOptions, SafeError } from '@isopod/telemetry'

/** Signals with which a person or a service manager ends a service. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Makes the logger of a service. An uncaught exception is its last line; the process then ends with exit code 1. */
export function serviceLogger(options: Omit<LoggerOptions, 'publicMessage'>): Logger {
  const logger = createLogger({ ...options, publicMessage: publicMessageOf })
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'a bug ended the process')
    process.exit(1)
  })
  return logger
}

/**
 * Runs the main function of a service. If it rejects, the process prints why and ends: one sentence for an operator's
 * mistake; for a bug the place where it happened, without quoted values.
 *
 * @param exitCodeOf exit code for an error. @default always 1
 */
export function runService(
  name: string,
  main: () => Promise<void>,
  exitCodeOf: (error: unknown) => number = () => 1,
): void {
  main().catch((error: unknown) => {
    console.error(`${name}: ${publicMessageOf(error) ?? JSON.stringify(new SafeError(error))}`)
    process.exit(exitCodeOf(error))
  })
}

/**
 * Stops a service on SIGTERM and SIGINT, then ends the process: with 0, or with 1 if a part of it did not stop well.
 *
 * @param stop must be idempotent, because an operator may repeat the signal. Resolves with whether all parts stopped well.
 */
export function onStopSignal(stop: (signal: string) => Promise<boolean>): void {
  for (const signal of STOP_SIGNALS) {
    process.on(signal, async () => process.exit((await stop(signal)) ? 0 : 1))
  }
}
