/** One refused field, as a sentence that names it. */
export interface FieldProblem {
  /** Dotted path of the field, for example `limits.memoryMb`; empty for the job itself. */
  readonly field: string
  /** The whole sentence: field, what is allowed, what was given. */
  readonly message: string
}

/** What an error can be made with. */
export interface IsopodErrorOptions extends ErrorOptions {
  /** The part of the message that logs may have, where the whole of it may quote a job. */
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

  /** What logs may have of the message: it quotes no job. Undefined: nothing. */
  get publicMessage(): string | undefined {
    return this.#publicMessage
  }
}

/**
 * An error that an operator reads: its message names services, settings, images and numbers. Where it also quotes what came with a
 * job, `publicMessage` is given and does not.
 */
abstract class OperatorError extends IsopodError {
  constructor(message: string, options: IsopodErrorOptions = {}) {
    super(message, { publicMessage: message, ...options })
  }
}

/** What logs may have of the message of anything that was thrown; undefined for errors that are not known to quote no job. */
export function publicMessageOf(thrown: unknown): string | undefined {
  return thrown instanceof IsopodError ? thrown.publicMessage : undefined
}

/** A platform fault that another try, perhaps on another worker, may not meet: the job goes back to the queue. */
export class RetryableError extends OperatorError {
  readonly code = 'retryable'
}

/** A platform fault that no retry can mend: it is published as `setup_error` at once. */
export class TerminalError extends OperatorError {
  readonly code = 'terminal'
}

/** A service that Isopod stands on (Redis, the Docker engine) does not answer or is set up wrongly. */
export class UnavailableError extends OperatorError {
  readonly code = 'unavailable'
}

/** A setting (environment variable, catalogue entry, option) is wrong; the message names it and what is allowed. */
export class ConfigError extends OperatorError {
  readonly code = 'config'
}

/** What a caller gave is not a valid job; nothing was enqueued. */
export class InvalidJobError extends IsopodError {
  readonly code = 'invalid_job'
  readonly problems: readonly FieldProblem[]

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map((problem) => problem.message).join('; '))
    this.problems = problems
  }
}
