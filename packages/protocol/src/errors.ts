/** One refused field, as a sentence that names it. */
export interface FieldProblem {
  /** Dotted path of the field, for example `limits.memoryMb`; empty for the job itself. */
  readonly field: string
  /** The whole sentence: field, what is allowed, what was given. */
  readonly message: string
}

/** Base of all errors that Isopod throws on purpose; `code` is stable and meant for programs. */
export abstract class IsopodError extends Error {
  abstract readonly code: string
  override get name(): string {
    return this.constructor.name
  }
}

/** A platform fault that another try, perhaps on another worker, may not meet: the job goes back to the queue. */
export class RetryableError extends IsopodError {
  readonly code = 'retryable'
}

/** A platform fault that no retry can mend: it is published as `setup_error` at once. */
export class TerminalError extends IsopodError {
  readonly code = 'terminal'
}

/** A service that Isopod stands on (Redis, the Docker engine) does not answer or is set up wrongly. */
export class UnavailableError extends IsopodError {
  readonly code = 'unavailable'
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

/** A setting (environment variable, catalogue entry, option) is wrong; the message names it and what is allowed. */
export class ConfigError extends IsopodError {
  readonly code = 'config'
}
