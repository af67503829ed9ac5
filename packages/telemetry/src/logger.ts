import { type DestinationStream, type Logger, pino } from 'pino'
import { CENSORED, REDACTED_PATHS, withoutCredentials } from './redact.ts'
import { RepeatedLines } from './repeated-lines.ts'
import { type PublicMessage, SafeError, withSafeErrors } from './safe-error.ts'
import { standardStream } from './standard-stream.ts'

export type { Logger } from 'pino'

/** Log levels, from the most to the least verbose. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** A log level. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Maximum number of equal lines per minute, from `warn` on. */
const PER_MINUTE = 60
const WARN = 40

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** Name of the app, in the field `name` of each line. */
  readonly name: string
  /** @default 'info' */
  readonly level?: LogLevel
  /** Destination: `stderr` for apps whose stdout carries a protocol, or a stream. @default 'stdout' */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream
  /** Returns the loggable part of an error's message. @default none */
  readonly publicMessage?: PublicMessage
  /** Maximum number of lines per minute with equal level, message and error code. @default 60 */
  readonly equalLinesPerMinute?: number
}

/**
 * Creates a logger that writes one JSON object per line, with the time in ISO 8601 and the level as a word. It redacts
 * programs with their input and output (in the entry and in `job`, `execution`, `result`, `outcome`), secrets (in the entry and
 * one level below), and credentials in URLs. Errors become {@link SafeError}s. The rate of equal warnings and errors is limited;
 * the next line reports the number of omitted ones as `suppressed`.
 *
 * @example
 * ```ts
 * const logger = createLogger({ name: 'isopod-worker', level: 'info' })
 * logger.info({ id: 'j1', status: 'success' }, 'execution finished')
 * ```
 */
export function createLogger(options: LoggerOptions): Logger {
  const { name, level = 'info', destination = 'stdout', publicMessage } = options
  const repeated = new RepeatedLines({ perMinute: options.equalLinesPerMinute ?? PER_MINUTE })
  return pino(
    {
      name,
      level,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED_PATHS, censor: CENSORED },
      serializers: {
        ...{ url: withoutCredentials, redisUrl: withoutCredentials, dockerHost: withoutCredentials },
        // For bindings of child loggers; entries no longer contain errors here.
        err: (thrown: unknown) =>
          thrown instanceof SafeError ? thrown : new SafeError(thrown, publicMessage),
      },
      hooks: {
        logMethod(args: unknown[], method, severity) {
          const [entry, ...words] = args.map((arg) => withSafeErrors(arg, publicMessage))
          const fields = entryOf(entry)
          const message = fields === undefined ? entry : words[0]
          const suppressed = severity < WARN ? 0 : repeated.admit(kindOf(severity, message, fields))
          if (suppressed === undefined) return
          const counted = suppressed > 0 ? { suppressed } : {}
          const line = fields === undefined ? [counted, entry] : [{ ...fields, ...counted }]
          method.apply(this, [...line, ...words.map(spoken)] as Parameters<typeof method>)
        },
      },
    },
    openStream(destination),
  )
}

/** The fields of a line; undefined if the first argument is the message. */
function entryOf(entry: unknown): Record<string, unknown> | undefined {
  if (entry instanceof SafeError) return { err: entry }
  return typeof entry === 'object' ? { ...entry } : undefined
}

/** The key by which lines are equal. */
function kindOf(severity: number, message: unknown, { err }: Record<string, unknown> = {}): string {
  const { type, code } = err instanceof SafeError ? err : {}
  return `${severity} ${typeof message === 'string' ? message : ''} ${type} ${code}`
}

/** Replaces an error among the arguments of a message by its class. */
function spoken(word: unknown): unknown {
  return word instanceof SafeError ? word.type : word
}

function openStream(destination: 'stdout' | 'stderr' | DestinationStream): DestinationStream {
  if (destination === 'stdout') return standardStream(1)
  if (destination === 'stderr') return standardStream(2)
  return destination
}
