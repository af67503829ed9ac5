import { EXIT, type ExitCode } from './exit-codes.ts'

/** The command was called wrongly; the message is the sentence that its user reads. */
export class UsageError extends Error {
  readonly code = 'usage'
}

/** An error as its user meets it. */
export interface Failure {
  readonly message: string
  readonly exitCode: ExitCode
}

/**
 * Turns anything that was thrown into a sentence and an exit code. Errors that were meant for people are known by their
 * `code`; any other is a bug of ours, and the only one that mentions how to see more.
 */
export function describeFailure(error: unknown): Failure {
  if (isAbort(error)) return { message: 'interrupted', exitCode: EXIT.interrupted }
  const message = error instanceof Error ? error.message : String(error)
  switch (codeOf(error)) {
    case 'usage':
    case 'invalid_job':
    case 'idempotency_conflict':
    case 'dataset':
    case 'batch_conflict':
    case 'batch_busy':
      return { message, exitCode: EXIT.usage }
    case 'unavailable':
    case 'config':
    case 'setup':
    case 'retryable':
    case 'terminal':
      return { message, exitCode: EXIT.platform }
    default:
      return { message: `${message} (ISOPOD_DEBUG=1 shows where)`, exitCode: EXIT.platform }
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
