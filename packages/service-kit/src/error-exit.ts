import { IsopodError } from '@isopod/protocol'
import { EXIT, type ExitCode } from './exit-codes.ts'

/** A command was called wrongly; the message is the sentence that its user reads. */
export class UsageError extends IsopodError {
  readonly code = 'usage'

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { publicMessage: message, ...options })
  }
}

/** An error for the user of a command. */
export interface Failure {
  readonly message: string
  readonly exitCode: ExitCode
}

/**
 * Maps a thrown value to a sentence and an exit code. Errors for users have a `code`. Any other error is a bug, and its sentence
 * says how to see more.
 */
export function describeFailure(error: unknown): Failure {
  if (isAbort(error)) return { message: 'interrupted', exitCode: EXIT.interrupted }
  const message = error instanceof Error ? error.message : String(error)
  switch (errorCode(error)) {
    case 'usage':
    case 'invalid_job':
    case 'idempotency_conflict':
    case 'dataset':
    case 'batch_conflict':
    case 'batch_busy':
      return { message, exitCode: EXIT.usage }
    case 'unknown_job':
      return { message, exitCode: EXIT.failure }
    case 'tenant_queue_full':
    case 'unavailable':
    case 'no_worker':
    case 'queue_full':
    case 'storage_full':
    case 'config':
    case 'setup':
    case 'image_absent':
    case 'retryable':
    case 'terminal':
      return { message, exitCode: EXIT.platform }
    default:
      return { message: `${message} (ISOPOD_DEBUG=1 shows where)`, exitCode: EXIT.platform }
  }
}

/** The stable `code` of an expected error; undefined for other errors. */
export function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
