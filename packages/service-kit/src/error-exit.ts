import { EXIT, type ExitCode } from './exit-codes.ts'

/** An error as the user of a command meets it. */
export interface Failure {
  readonly message: string
  readonly exitCode: ExitCode
}

/**
 * Maps anything that was thrown to a sentence and an exit code. Errors meant for people are known by their `code`; any
 * other is a bug of ours, and the only one that mentions how to see more.
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

/** The stable `code` of an error that was thrown on purpose; undefined for any other. */
export function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
