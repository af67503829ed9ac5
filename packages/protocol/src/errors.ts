/** One refused field, and a sentence that names it. */
export interface FieldProblem {
  /** Dotted path of the field, for example `limits.memoryMb`; empty for the job itself. */
  readonly field: string
  /** The whole sentence: the field, what is allowed, and what was given. */
  readonly message: string
}

/** Options of an {@link IsopodError}. */
export interface IsopodErrorOptions extends ErrorOptions {
  /** The part of the message that may be logged, if the whole message may quote a job. */
  readonly publicMessage?: string
}

/** Base of all errors that Isopod throws on purpose; `code` is stable and meant for programs. */
export abstract class IsopodError extends Error {
  abstract readonly code: string
  readonly #publicMessage: string | undefined

  constructor(message?: string, options: IsopodErrorOptions = {}) {
    super(message, options)
    this.#publicMessage = options.publicMessage
  }

  override get name(): string {
    return this.constructor.name
  }

  /** The loggable message, which quotes no job; undefined if there is none. */
  get publicMessage(): string | undefined {
    return this.#publicMessage
  }
}

/**
 * An error for operators. Its message names services, settings, images and numbers. If it also quotes a job, pass a
 * `publicMessage` that does not.
 */
abstract class OperatorError extends IsopodError {
  constructor(message: string, options: IsopodErrorOptions = {}) {
    super(message, { publicMessage: message, ...options })
  }
}

/** The loggable message of a thrown value; undefined unless it is known to quote no job. */
export function publicMessageOf(thrown: unknown): string | undefined {
  return thrown instanceof IsopodError ? thrown.publicMessage : undefined
}

/** A platform fault that may not occur again: the job returns to the queue for another attempt. */
export class RetryableError extends OperatorError {
  readonly code = 'retryable'
}

/** A platform fault that a retry cannot fix: the job gets `setup_error` at once. */
export class TerminalError extends OperatorError {
  readonly code = 'terminal'
}

/** A service that Isopod needs (Redis, the Docker engine) does not respond or is misconfigured. */
export class UnavailableError extends OperatorError {
  readonly code = 'unavailable'
}

/** A setting (environment variable, catalogue entry, option) is invalid; the message names it and what is allowed. */
export class ConfigError extends OperatorError {
  readonly code = 'config'
}

/** The input is not a valid job; nothing was enqueued. */
export class InvalidJobError extends IsopodError {
  readonly code = 'invalid_job'
  readonly problems: readonly FieldProblem[]

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map((problem) => problem.message).join('; '))
    this.problems = problems
  }
}
