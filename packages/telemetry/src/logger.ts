import { type DestinationStream, type Logger, destination as openDestination, pino } from 'pino'
import { CENSORED, REDACTED_PATHS, withoutCredentials } from './redact.ts'
import { RepeatedLines } from './repeated-lines.ts'
import { type PublicMessage, SafeError, withSafeErrors } from './safe-error.ts'

export type { Logger } from 'pino'

/** The levels that `LOG_LEVEL` may have, from the most to the least talkative. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Lines of one kind that are written in a minute, from `warn` on. */
const PER_MINUTE = 60
const WARN = 40

/** What {@link createLogger} needs to know. */
export interface LoggerOptions {
  /** Which app speaks; the field `name` of each line. */
  readonly name: string
  /** @default 'info' */
  readonly level?: LogLevel
  /** Where lines go: `stderr` for apps whose stdout is a protocol, or a stream. @default 'stdout' */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream
  /** What lines may have of the message of an error. @default nothing of any */
  readonly publicMessage?: PublicMessage
  /** How many equal lines are written in a minute: those of one level, message and code of the error. @default 60 */
  readonly equalLinesPerMinute?: number
}

/**
 * Makes a logger that writes one JSON object a line, with the time in ISO 8601 and the level as a word. Blanked are
 * programs with their input and output (in the entry itself and in `job`, `execution`, `result`, `outcome`), secrets (in
 * the entry and one level below), and credentials in URLs. Errors become {@link SafeError}s. Of equal warnings and errors only
 * so many a minute are written; the next one says in `suppressed` how many were not.
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
        // For what child loggers are bound to; entries come without errors.
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

/** The fields of a line; undefined if its first argument is its message. */
function entryOf(entry: unknown): Record<string, unknown> | undefined {
  if (entry instanceof SafeError) return { err: entry }
  return typeof entry === 'object' ? { ...entry } : undefined
}

/** What makes two lines equal. */
function kindOf(severity: number, message: unknown, { err }: Record<string, unknown> = {}): string {
  const { type, code } = err instanceof SafeError ? err : {}
  return `${severity} ${typeof message === 'string' ? message : ''} ${type} ${code}`
}

/** An error among the words of a message stands there by its class. */
function spoken(word: unknown): unknown {
  return word instanceof SafeError ? word.type : word
}

/** Standard streams are written synchronously: the last line before a crash is the one that matters. */
function openStream(destination: 'stdout' | 'stderr' | DestinationStream): DestinationStream {
  if (destination === 'stdout') return openDestination({ dest: 1, sync: true })
  if (destination === 'stderr') return openDestination({ dest: 2, sync: true })
  return destination
}
