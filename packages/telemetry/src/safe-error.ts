/** Gives the part of an error's message that logs may have; undefined if nothing is known about it. */
export type PublicMessage = (error: Error) => string | undefined

const MAX_MESSAGE = 2000
const MAX_FRAMES = 12
const MAX_CAUSES = 4
const MAX_ERRORS = 5

/** Numbers that libraries put on their errors, and that say nothing about a job. */
const NUMBERS = ['errno', 'statusCode', 'exitCode'] as const
/** Names of functions, files of this product and its libraries, and places in them; nothing else can stand in a frame. */
const FRAME =
  /^ {4}at (?:[\w$.<>#[\] -]{1,120} \()?(?:file:\/\/|node:|\/)[\w@$+~./%-]{1,400}:\d{1,7}:\d{1,7}\)?$/
/** What Redis' refusals begin with; what follows can quote a command's arguments. */
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
 * An error as a log may have it. Errors quote what they met: a parser its input, a Redis client the arguments of its command, a
 * check the output that it refused. So it is the fields below that are taken, and no others, and the message only of errors
 * that are known to quote no job; of any other there are its class, its code and where it was thrown.
 */
export class SafeError {
  declare readonly type: string
  declare readonly message?: string
  declare readonly code?: string
  declare readonly errno?: number
  declare readonly statusCode?: number
  declare readonly exitCode?: number
  /** System call of a system's error. */
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
      // What cannot be read is not logged.
    }
  }
}

/** Replaces every error in a log entry, wherever it stands in objects and lists. */
export function withSafeErrors(value: unknown, publicMessage?: PublicMessage, depth = 6): unknown {
  if (value instanceof SafeError) return value
  if (value instanceof Error) return new SafeError(value, publicMessage)
  if (typeof value !== 'object' || value === null) return value
  const inner = (one: unknown) => withSafeErrors(one, publicMessage, depth - 1)
  // Far deeper than entries are; an error that is hidden there must not be written either.
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map(inner)
  // Dates, buffers and URLs say themselves what they are in JSON.
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

/** Where it was thrown. The stack begins with the message, whose lines can look like frames: where it is not found, nothing is taken. */
function framesOf({ stack = '', message }: Error): { stack?: string[] } {
  const at = stack.indexOf(message)
  if (at < 0) return {}
  const lines = stack.slice(at + message.length).split('\n')
  const frames = lines.filter((line) => FRAME.test(line)).slice(0, MAX_FRAMES)
  return frames.length === 0 ? {} : { stack: frames.map((line) => line.trim().slice('at '.length)) }
}

/** A name as programs give them to classes, codes and commands. */
function plainName(name: unknown): string | undefined {
  return typeof name === 'string' && /^[A-Za-z][\w.:-]{0,63}$/.test(name) ? name : undefined
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
