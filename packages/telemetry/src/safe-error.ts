/** Returns the loggable part of an error's message; undefined if the error is unknown. */
export type PublicMessage = (error: Error) => string | undefined

const MAX_MESSAGE = 2000
const MAX_FRAMES = 12
const MAX_CAUSES = 4
const MAX_ERRORS = 5

/** Numeric fields of library errors, which reveal nothing about a job. */
const NUMBERS = ['errno', 'statusCode', 'exitCode'] as const
/** A stack frame: a function name and a position in a file of this product or its libraries, and nothing else. */
const FRAME =
  /^ {4}at (?:[\w$.<>#[\] -]{1,120} \()?(?:file:\/\/|node:|\/)[\w@$+~./%-]{1,400}:\d{1,7}:\d{1,7}\)?$/
/** Prefixes of Redis errors; the rest of a message can quote arguments. */
const REDIS_REFUSALS: ReadonlySet<string> = new Set([
  ...[
    'ASK',
    'BUSY',
    'CLUSTERDOWN',
    'CROSSSLOT',
    'ERR',
    'EXECABORT',
    'LOADING',
    'MASTERDOWN',
    'MISCONF',
    'MOVED',
  ],
  ...['NOAUTH', 'NOPERM', 'NOREPLICAS', 'NOSCRIPT', 'OOM', 'READONLY', 'TRYAGAIN', 'UNKILLABLE', 'WRONGPASS'],
  'WRONGTYPE',
])

/**
 * An error that is safe to log. Errors can quote jobs: a parser its input, a Redis client the arguments of a command. It
 * therefore contains only the fields below, and the message only of errors that are known to quote no job.
 */
export class SafeError {
  declare readonly type: string
  declare readonly message?: string
  declare readonly code?: string
  declare readonly errno?: number
  declare readonly statusCode?: number
  declare readonly exitCode?: number
  /** System call of a system error. */
  declare readonly syscall?: string
  /** Name of the command that Redis refused. */
  declare readonly command?: string
  declare readonly stack?: readonly string[]
  declare readonly cause?: SafeError
  declare readonly errors?: readonly SafeError[]

  /** @param thrown anything; its getters may throw */
  constructor(thrown: unknown, publicMessage: PublicMessage = () => undefined, causes = MAX_CAUSES) {
    this.type = typeof thrown
    if (!(thrown instanceof Error)) return
    this.type = 'Error'
    try {
      this.type = plainName(thrown.name) ?? 'Error'
      Object.assign(this, factsOf(thrown), framesOf(thrown))
      const message = publicMessage(thrown)?.slice(0, MAX_MESSAGE)
      if (message !== undefined) this.message = message
      if (causes === 0) return
      const inner = (error: unknown) => new SafeError(error, publicMessage, causes - 1)
      if (thrown.cause instanceof Error) this.cause = inner(thrown.cause)
      if (thrown instanceof AggregateError) this.errors = thrown.errors.slice(0, MAX_ERRORS).map(inner)
    } catch {
      // Unreadable fields are not logged.
    }
  }
}

/** Replaces every error in a log entry, at any depth of objects and lists. */
export function withSafeErrors(value: unknown, publicMessage?: PublicMessage, depth = 6): unknown {
  if (value instanceof SafeError) return value
  if (value instanceof Error) return new SafeError(value, publicMessage)
  if (typeof value !== 'object' || value === null) return value
  const inner = (one: unknown) => withSafeErrors(one, publicMessage, depth - 1)
  // Deeper than any entry; errors hidden below must not be logged either.
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map(inner)
  // Dates, buffers and URLs have their own JSON form.
  if ('toJSON' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, inner(field)]))
}

function factsOf(
  error: Error,
): Partial<Record<'code' | 'syscall' | 'command' | (typeof NUMBERS)[number], unknown>> {
  const { code, syscall, command } = error as { code?: unknown; syscall?: unknown; command?: unknown }
  const numbers = NUMBERS.flatMap((name) => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'number' ? [[name, value] as const] : []
  })
  const known = plainName(code) ?? redisRefusal(error)
  const name =
    error.name === 'ReplyError' && isPlain(command) ? plainName(Reflect.get(command, 'name')) : undefined
  return {
    ...Object.fromEntries(numbers),
    ...(known !== undefined && { code: known }),
    ...(typeof syscall === 'string' && /^[a-z]{1,20}$/.test(syscall) && { syscall }),
    ...(name !== undefined && { command: name }),
  }
}

function redisRefusal({ name, message }: Error): string | undefined {
  const first = message.split(' ', 1)[0] ?? ''
  return name === 'ReplyError' && REDIS_REFUSALS.has(first) ? first : undefined
}

/** Frames of the stack. The stack begins with the message, whose lines can look like frames; if the message is not found, there are none. */
function framesOf({ stack = '', message }: Error): { stack?: string[] } {
  const at = stack.indexOf(message)
  if (at < 0) return {}
  const lines = stack.slice(at + message.length).split('\n')
  const frames = lines.filter((line) => FRAME.test(line)).slice(0, MAX_FRAMES)
  return frames.length === 0 ? {} : { stack: frames.map((line) => line.trim().slice('at '.length)) }
}

/** An identifier of a class, code or command. */
function plainName(name: unknown): string | undefined {
  return typeof name === 'string' && /^[A-Za-z][\w.:-]{0,63}$/.test(name) ? name : undefined
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
