import { type DestinationStream, type Logger, destination as openDestination, pino } from 'pino'
import { CENSORED, REDACTED_PATHS, withoutCredentials } from './redact.ts'

export type { Logger } from 'pino'

/** The levels that `LOG_LEVEL` may have, from the most to the least talkative. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What {@link createLogger} needs to know. */
export interface LoggerOptions {
  /** Which app speaks; the field `name` of each line. */
  readonly name: string
  /** @default 'info' */
  readonly level?: LogLevel
  /** Where lines go: `stderr` for apps whose stdout is a protocol, or a stream. @default 'stdout' */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream
}

/**
 * Makes a logger that writes one JSON object a line, with the time in ISO 8601 and the level as a word. Blanked are
 * programs with their input and output (in the entry itself and in `job`, `execution`, `result`, `outcome`), secrets (in
 * the entry and one level below), and credentials in URLs.
 *
 * @example
 * ```ts
 * const logger = createLogger({ name: 'isopod-worker', level: 'info' })
 * logger.info({ id: 'j1', status: 'success' }, 'execution finished')
 * ```
 */
export function createLogger({ name, level = 'info', destination = 'stdout' }: LoggerOptions): Logger {
  return pino(
    {
      name,
      level,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED_PATHS, censor: CENSORED },
      serializers: { url: withoutCredentials, redisUrl: withoutCredentials, dockerHost: withoutCredentials },
    },
    openStream(destination),
  )
}

/** Standard streams are written synchronously: the last line before a crash is the one that matters. */
function openStream(destination: 'stdout' | 'stderr' | DestinationStream): DestinationStream {
  if (destination === 'stdout') return openDestination({ dest: 1, sync: true })
  if (destination === 'stderr') return openDestination({ dest: 2, sync: true })
  return destination
}
